package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Describe tells this moment in words: what the "describe this moment" button
// prints, and the long description of the picture in print.
func (s *Stage) Describe() []string {
	v, p := s.view, s.Job.Plan
	var out []string
	add := func(text string) { out = append(out, text) }
	if e := s.Last(); e != nil {
		add("Event " + num(e.N) + " at " + e.T.String() + " of virtual time, attempt " + num(v.Attempt) + ", " + v.Phase.String() + ". " + trace.Sentence(s.tr, e))
	} else {
		add("Nothing has happened yet.")
	}
	add(s.sayStage())
	for i := range s.Job.Input.Parts {
		add(sentence(s.partitionAttrs(i)["aria-label"]))
	}
	for i := range p.Tasks {
		add(sentence(s.nodeAttrs(engine.TaskID(i))["aria-label"]))
		for _, c := range p.Tasks[i].In {
			add(sentence(s.laneAttrs(c)["aria-label"]))
		}
		if p.Tasks[i].Kind == engine.OpLoop {
			for part := range s.Job.Input.Parts {
				add(sentence(s.loopAttrs(engine.TaskID(i), part)["aria-label"]))
			}
		}
		if trace.Counts(p.Tasks[i].Kind) {
			add(sentence(s.tableAttrs(engine.TaskID(i))["aria-label"]))
		}
	}
	for i := range v.Outside {
		add(sentence(s.outsideAttrs(i)["aria-label"]))
	}
	add(sentence(s.coordinatorSaid()))
	for _, c := range s.shelf().Cards {
		if c.Title != "" {
			add(sentence(c.Title + ": " + list(", ", c.Words, c.Body)))
			continue
		}
		add(sentence("checkpoint " + list(", ", c.No+" "+c.Words, c.Body)))
	}
	add(s.truth())
	for i := range s.Verdicts() {
		r := s.verdictRow(i)
		pending := r.Pending
		if pending == "0" {
			pending = ""
		}
		add(sentence(list(", ", r.Name, r.Kind) + ": " + list(", ", r.Words, r.Short+" observed", pending, r.Rewound)))
	}
	return out
}

// sentence closes a text with a full stop and opens it with a capital, unless it
// begins with the name of a task.
func sentence(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if text == "" || strings.Contains(word, "/") {
		return text + "."
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
