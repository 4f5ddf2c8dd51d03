package web

import (
	"fmt"

	"effectivelyonce/lessons"
)

// pathTakes is how long a path takes, and how much of it is there.
func pathTakes(p *lessons.Path) string {
	out := count(len(p.Lessons), "lesson", "lessons") + ", about " + count(p.Minutes(), "minute", "minutes")
	if n := p.Ready(); n < len(p.Lessons) {
		out += fmt.Sprintf(", %d ready now", n)
	}
	return out
}
