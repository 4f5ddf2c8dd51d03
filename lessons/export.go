package lessons

import (
	"fmt"
	"strconv"
	"strings"

	"effectivelyonce/engine"
)

// maxFileSeed is the largest seed that a scenario file holds.
const maxFileSeed = 1 << 31

// ScenarioFile writes a job that was made from a scenario as a scenario file of its
// own: read again under its id, which must be the file's name, it is the same job, and
// its script the same faults. Titles, story and pace are the scenario's; its claims are
// not, for they were about another job. It fails where the file's grammar has no
// place for something: a seed above 2^31, or a key with a blank in it.
func (sc *Scenario) ScenarioFile(id string, job *engine.Job, faults []string) (string, error) {
	if job.Seed > maxFileSeed {
		return "", fmt.Errorf("seed %d; allowed in a file: at most %d", job.Seed, maxFileSeed)
	}
	var b strings.Builder
	line := func(key, value string) { fmt.Fprintf(&b, "%s: %s\n", key, value) }
	line("id", id)
	line("title", strconv.Quote(sc.Title))
	line("story", strconv.Quote(sc.Story))
	if sc.Log != "" {
		line("log", strconv.Quote(sc.Log))
	}
	line("seed", strconv.FormatUint(job.Seed, 10))
	line("pace", strconv.FormatFloat(sc.Pace, 'g', -1, 64))
	base := engine.BaseSettings()
	for i := range job.Settings.Sinks {
		base.Sinks = append(base.Sinks, engine.BaseSink(job.Settings.Sinks[i].Name))
	}
	b.WriteString("settings: # what differs from the base values\n")
	fmt.Fprintf(&b, "  topology: %s\n", job.Settings.Topology)
	for _, kv := range Changes(&job.Settings, &base) {
		if key, value, _ := strings.Cut(kv, "="); key != "topology" {
			fmt.Fprintf(&b, "  %s: %s\n", key, strconv.Quote(value))
		}
	}
	b.WriteString("sinks:\n")
	for i := range job.Settings.Sinks {
		k := &job.Settings.Sinks[i]
		fmt.Fprintf(&b, "  - {name: %s, title: %s}\n", strconv.Quote(k.Name), strconv.Quote(k.Title))
	}
	writeFaults(&b, "conditions", sc.Conditions)
	writeFaults(&b, "script", faults)
	err := writeInput(&b, job.Input)
	return b.String(), err
}

func writeFaults(b *strings.Builder, name string, faults []string) {
	if len(faults) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", name)
	for _, f := range faults {
		fmt.Fprintf(b, "  - %s\n", strconv.Quote(f))
	}
}

// writeInput writes the records out, so that the file needs no other.
func writeInput(b *strings.Builder, in *engine.Input) error {
	b.WriteString("input:\n")
	if in.Unit != "" {
		fmt.Fprintf(b, "  unit: %s\n", strconv.Quote(in.Unit))
	}
	if len(in.Words) > 0 {
		b.WriteString("  values: words\n")
	}
	b.WriteString("  partitions:\n")
	for _, part := range in.Parts {
		if len(part) == 0 {
			b.WriteString("    - []\n")
			continue
		}
		b.WriteString("    -\n")
		for _, d := range part {
			key, value := in.Keys[d.Key], engine.FormatNumber(d.Value)
			if len(in.Words) > 0 {
				value = in.Words[d.Value]
			}
			if strings.Contains(key, " ") || strings.Contains(value, " ") {
				return fmt.Errorf("key %q with the value %q; allowed in a file: keys and values without a blank", key, value)
			}
			if in.Timed {
				value += " @" + d.Time.String()
			}
			fmt.Fprintf(b, "      - %s\n", strconv.Quote(key+" "+value))
		}
	}
	return nil
}
