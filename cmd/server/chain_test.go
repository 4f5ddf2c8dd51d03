package main

import (
	"strconv"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

// Whatever a scenario's script leaves wrong is explained by events that follow
// from each other, in every strategy and for every reader.
func TestChainsExplainEveryScript(t *testing.T) {
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	told := map[check.Class]int{}
	queries := []lessons.Query{{Scenario: "plain-memory", Set: []string{"sink=append", "output=total"}, Faults: []string{"crash-job@40"}}} // no script ends wrong
	for _, sc := range scenarios(t) {
		queries = append(queries, lessons.Query{Scenario: sc.ID, Faults: sc.Script})
	}
	for _, q := range queries {
		job, faults, err := cat.Compile(q)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := sim.Run(job, faults)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range check.Judge(tr) {
			c := check.Why(tr, &v)
			if (c == nil) != (v.Class == check.Exact) {
				t.Errorf("%s, %s/%s is %s and the chain is %v", q.Scenario, v.Sink, v.Reader, v.Class, c)
			}
			if c == nil {
				continue
			}
			told[c.Class]++
			if fault := badChain(tr, c); fault != "" {
				t.Errorf("%s (%s), %s/%s, %s: %s\n%s", q.Scenario, job.Settings.Strategy, v.Sink, v.Reader, v.Class, fault, chainText(c))
			} else if testing.Verbose() {
				t.Logf("%s (%s), %s/%s, %s\n%s", q.Scenario, job.Settings.Strategy, v.Sink, v.Reader, v.Class, chainText(c))
			}
		}
	}
	for _, c := range []check.Class{check.Duplicated, check.Lost, check.Wrong, check.Stuck} {
		if told[c] == 0 {
			t.Errorf("no script ends %s, so nothing was tested of it", c)
		}
	}
}

// badChain says what is wrong with a chain, "" if nothing is.
func badChain(tr *trace.Trace, c *check.Chain) string {
	last := int32(0)
	for _, l := range c.Links {
		switch {
		case l.N <= last:
			return "its steps are not in order"
		case int(l.N) > tr.Len():
			return "it names an event that the run does not have"
		case !strings.HasSuffix(l.Text, ".") || len(strings.Fields(l.Text)) > 32:
			return "a step is no short sentence: " + l.Text
		}
		last = l.N
	}
	effects := c.Effects()
	switch {
	case len(c.Links) < 2:
		return "it has no steps"
	case c.Class != check.Stuck && c.Class != check.Wrong && !begins(tr.At(int(c.Links[0].N)).Kind):
		return "it does not begin with the read of the record, or with a stored position"
	case c.Class == check.Duplicated && effects < 2:
		return "it does not name two effects"
	case c.Class == check.Duplicated && !c.Links[len(c.Links)-1].Effect:
		return "it does not end with the second effect"
	case (c.Class == check.Lost || c.Class == check.Stuck) && effects > 0:
		return "it names an effect of something that nobody sees"
	}
	return ""
}

func begins(k engine.Kind) bool {
	return k == engine.SourceRead || k == engine.OffsetCommit || k == engine.OffsetLogWritten
}

func chainText(c *check.Chain) string {
	var b strings.Builder
	for _, l := range c.Links {
		mark := " "
		if l.Effect {
			mark = "*"
		}
		b.WriteString(mark + " " + strconv.Itoa(int(l.N)) + " " + l.Text + "\n")
	}
	return b.String()
}

// A count that is too high is explained by the record that is in it twice.
func TestChainsExplainState(t *testing.T) {
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, id := range []string{"skip-align", "incident-c55", "streams-alo", "hook-charges"} {
		job, faults, err := cat.Compile(lessons.Query{Scenario: id, Faults: cat.Scenario(id).Script})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := sim.Run(job, faults)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for task := range job.Plan.Tasks {
			for key := range job.Input.Keys {
				c := check.WhyState(tr, engine.TaskID(task), engine.KeyID(key), tr.Len())
				if c == nil {
					continue
				}
				found++
				if fault := badChain(tr, c); fault != "" {
					t.Errorf("%s, %s: %s\n%s", id, job.Plan.Tasks[task].Name, fault, chainText(c))
				}
			}
		}
		if (found == 0) != (id == "hook-charges") {
			t.Errorf("%s: %d counts that are too high were explained", id, found)
		}
	}
}
