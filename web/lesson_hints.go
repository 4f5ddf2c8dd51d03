package web

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// hintStep is how the parameter seg names a level with hints opened: hint-2. The
// address keeps how many, so it works without scripts, and the score can say it.
const hintStep = "hint-"

// place finds the step that seg names, and how many hints of its level are open.
func (p *lessonPage) place(seg string) (err error) {
	if l := p.Lesson.Level; l != nil && strings.HasPrefix(seg, hintStep) {
		if p.Hints, err = hintsOf(seg, len(l.Hints)); err != nil {
			return err
		}
		seg = stepLevel
	}
	p.Now, err = p.find(seg)
	return err
}

// segOf is the parameter seg of a step of this page.
func (p *lessonPage) segOf(st *lessonStep) string {
	if st.Kind == stepLevel {
		return hintSeg(p.Hints)
	}
	return st.ID
}

// hintLink is this page with n hints of its level opened; the run stays.
func (p *lessonPage) hintLink(n int) templ.SafeURL {
	return templ.SafeURL(p.to("seg="+hintSeg(n)+"&"+queryOf(p.Run.Query)+"&at="+strconv.Itoa(p.At)) + "#hints")
}
