package web

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"effectivelyonce/engine/check"
)

// ledgerView is the story of one record, as text.
type ledgerView struct {
	Name  string // "record ana, partition 0, offset 3"
	Lines []string
	link  func(int) templ.SafeURL
}

func newLedger(p *runPage, led *check.Ledger) *ledgerView {
	job := p.Run.Job
	return &ledgerView{Name: recordName(job, led.ID), Lines: led.Sentences(job), link: p.href}
}

var eventWord = regexp.MustCompile(`event (\d{1,5})`)

// withEvents is a sentence in which "event 101" is a link. It is put together here
// because a template would put spaces around the link.
func withEvents(line string, link func(int) templ.SafeURL) templ.Component {
	var b strings.Builder
	from := 0
	for _, m := range eventWord.FindAllStringSubmatchIndex(line, -1) {
		n, _ := strconv.Atoi(line[m[2]:m[3]])
		b.WriteString(templ.EscapeString(line[from:m[0]]))
		fmt.Fprintf(&b, `<a data-n="%d" href="%s">%s</a>`, n, templ.EscapeString(string(link(n))), line[m[0]:m[1]])
		from = m[1]
	}
	b.WriteString(templ.EscapeString(line[from:]))
	return templ.Raw(b.String())
}
