package web

import (
	"strings"

	"effectivelyonce/lessons"
)

// betView is one bet of a lesson: open, answered, or of a step further back.
type betView struct {
	Segment *lessons.Segment
	Action  string
	Fields  []field
	Chosen  string // id of the option; "" not answered
	Here    bool   // it belongs to the current step or a later one
	Open    bool   // it is the next thing to do
	Unsaved bool   // it is placed, and could not be kept
	How     string // confidence and reason, where they are still to be kept
	Reason  string
}

// readBets reads bet=SEGMENT:OPTION for the bets that a lesson has.
func readBets(l *lessons.Lesson, given []string) (map[string]string, error) {
	out := map[string]string{}
	for _, b := range given {
		id, option, _ := strings.Cut(b, ":")
		allowed := allowedBets(l, id)
		if !contains(allowed, b) {
			return nil, bad("bet", b, strings.Join(allowed, ", "))
		}
		out[id] = option
	}
	return out, nil
}

// allowedBets lists what bet may be: for the segment named, or for all of them.
func allowedBets(l *lessons.Lesson, id string) []string {
	var all, own []string
	for _, seg := range l.Segments {
		if seg.Bet == nil {
			continue
		}
		for _, o := range seg.Bet.Options {
			all = append(all, seg.ID+":"+o.ID)
			if seg.ID == id {
				own = append(own, seg.ID+":"+o.ID)
			}
		}
	}
	if len(own) > 0 {
		return own
	}
	return all
}
