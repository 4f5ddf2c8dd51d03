package quizzes_test

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/quizzes"
)

// raceDiffers runs every lane of a race again, and says how the key is not the
// lane that was back first, or last.
func raceDiffers(eng quizzes.Engine, d *quizzes.Question) string {
	first := strings.Contains(strings.Join(d.Derived.Words, " "), "{which} first")
	key, best, right := "", engine.Time(0), ""
	for _, o := range d.Options {
		job, faults, err := eng.Compile(o.Lane.Scenario, d.Asks.Seed, d.Asks.Set, []string{o.Lane.Fault})
		if err != nil {
			return err.Error()
		}
		r, err := quizzes.Play(eng.Run, job, faults)
		if err != nil {
			return err.Error()
		}
		back, died := trace.RecoveryOf(r.Trace)
		if !died || !back.Back {
			return o.Lane.Scenario + " does not come back"
		}
		if t := back.Total(); key == "" || t < best == first {
			key, best = o.Text.Text, t
		}
		if want := fmt.Sprintf("back after %.0f ms", back.Total().Millis()); !strings.Contains(o.Why.Text, want) {
			return fmt.Sprintf("%s: %q does not say %q", o.Lane.Scenario, o.Why.Text, want)
		}
		if o.Right {
			right += o.Text.Text
		}
	}
	if key != right {
		return fmt.Sprintf("the run of %q is the one (first %v), the key says %q", key, first, right)
	}
	return ""
}

const raceText = `- id: race
  kind: crash-race
  ask: "Counters of {b} bytes. Which one is the {which} to be back?"
  vars: {b: [30000, 60000]}
  run: {set: ["state.key.bytes={b}"]}
  options:
    - {text: snapshots, why: copied., scenario: race-snapshot, crash: "crash-node:node/0@before:checkpoint.complete~3"}
    - {text: changelog, why: read., scenario: race-changelog, crash: "crash-node:node/0@before:txn.commit~3"}
    - {text: table, why: copied too., scenario: race-cdc, crash: "crash-node:node/0@before:offset.commit~3"}
    - {text: remote, why: it survives., scenario: race-remote, crash: "crash-node:node/0@before:offset.commit~3"}
`

// What a lane fetched is what the network took the time for.
func TestRacesAreMeasured(t *testing.T) {
	eng, q := engineOf(t), oneQuestion(t, raceText)
	words := map[string]bool{}
	for seed := range uint64(20) {
		d, err := q.Derive(eng, seed)
		if err != nil {
			t.Fatal(err)
		}
		if why := raceDiffers(eng, d); why != "" || d.Kind != quizzes.Single || d.Template() != quizzes.CrashRace {
			t.Fatalf("seed %d: a %s; %s", seed, d.Kind, why)
		}
		words[d.Stem.Text] = true
		if why := notByHand(d); why != "" {
			t.Errorf("seed %d: %s", seed, why)
		}
		for _, o := range d.Options {
			var ms, bytes, again int64
			if _, err := fmt.Sscanf(o.Why.Text[strings.Index(o.Why.Text, "Here"):], "Here it was back after %d ms: %d bytes of state to fetch, %d record", &ms, &bytes, &again); err != nil {
				t.Fatalf("%q: %v", o.Why.Text, err)
			}
			// One byte a microsecond, and the stop and the start take 510 ms.
			if ms < 510+bytes/1000 || ms > 510+bytes/1000+250 {
				t.Errorf("seed %d, %s: %d bytes, and back after %d ms", seed, o.Text.Text, bytes, ms)
			}
		}
	}
	if len(words) < 3 { // of one size no lane is clearly last
		t.Errorf("20 seeds ask %d of 4 questions", len(words))
	}
}

// notByHand works every lane out from what its option shows before the answer, and
// says how the key is not the first, or last, by at least 8 %.
func notByHand(d *quizzes.Question) string {
	sums, key := []float64{}, 0.0
	for _, o := range d.Options {
		var bytes, n, each float64
		fetch, count, _ := strings.Cut(o.Lane.Needs, ". To count again: ")
		if fetch != "To fetch: nothing" {
			if _, err := fmt.Sscanf(fetch, "To fetch: %f bytes", &bytes); err != nil {
				return err.Error()
			}
		}
		if count != "nothing." {
			if _, err := fmt.Sscanf(strings.ReplaceAll(count, "readings", "reading"), "%f reading, about %f ms each.", &n, &each); err != nil {
				return fmt.Sprintf("%q: %v", count, err)
			}
		}
		sum := 510 + bytes/1000 + n*each
		if sums = append(sums, sum); o.Right {
			key = sum
		}
	}
	first := strings.Contains(strings.Join(d.Derived.Words, " "), "{which} first")
	near := 0
	for _, s := range sums {
		if first && s < 1.08*key || !first && s > 0.92*key {
			near++
		}
	}
	if near != 1 {
		return fmt.Sprintf("sums of %v ms, and %v is the one (first %v)", sums, key, first)
	}
	return ""
}

func TestAuthorsOfRacesAreTold(t *testing.T) {
	for name, c := range map[string]struct{ text, old, new, want string }{
		"two lanes":        {raceText, "    - {text: table, why: copied too., scenario: race-cdc, crash: \"crash-node:node/0@before:offset.commit~3\"}\n    - {text: remote, why: it survives., scenario: race-remote, crash: \"crash-node:node/0@before:offset.commit~3\"}\n", "", "2 lanes; allowed: 3 or more"},
		"a lane marked":    {raceText, "text: table", "right: true, text: table", "a lane needs scenario and crash, and neither right nor holds"},
		"no fault":         {raceText, ", crash: \"crash-node:node/0@before:txn.commit~3\"", "", "a lane needs scenario and crash"},
		"lanes of another": {quizText, "{text: one, why: no}", "{text: one, why: no, scenario: race-cdc}", "an option has scenario or crash; only options of a crash-race have them"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(c.text, c.old, c.new, 1)
			_, problems := quizzes.Read("quiz.yaml", []byte(text))
			if text == c.text || len(problems) == 0 || !strings.Contains(problems[0].String(), c.want) {
				t.Errorf("found %v\nwant  %s", problems, c.want)
			}
		})
	}
	d, err := oneQuestion(t, strings.Replace(raceText, "scenario: race-cdc", "scenario: race-none", 1)).Derive(engineOf(t), 1)
	if err == nil || !strings.Contains(err.Error(), `unknown scenario "race-none"`) {
		t.Errorf("a scenario that is not there: %v, %v", d.Options, err)
	}
}
