package web

import (
	"fmt"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// explain derives from the trace why each system holds what it holds: at most
// three reasons for the worst one, and one for a system that did otherwise.
func explain(v *revealView, page *runPage) {
	r := page.Run
	w := &whyWriter{page: page, t: r.Trace, job: r.Job}
	if n := lastCrash(r); n > 0 {
		w.rec = recoveryAfter(r.Trace, n)
	}
	worst, other := -1, -1
	for i := range r.Verdicts {
		if worst < 0 || check.Worst(r.Verdicts[i].Class, r.Verdicts[worst].Class) != r.Verdicts[worst].Class {
			worst = i
		}
	}
	for i := range r.Verdicts {
		if r.Verdicts[i].Class != r.Verdicts[worst].Class && (other < 0 || r.Verdicts[i].Class == check.Exact && r.Verdicts[other].Class != check.Exact) {
			other = i
		}
	}
	x := &r.Verdicts[worst]
	title := lower(rowOf(r.Job, x).Title)
	v.WhyTitle, v.Why = w.tell(x, title)
	v.Chain = newChain(page, check.Why(r.Trace, x), whereOf(page, x))
	if other < 0 {
		return
	}
	y := &r.Verdicts[other]
	v.NotTitle = "Why the " + lower(rowOf(r.Job, y).Title) + " did not"
	if y.Sink == x.Sink {
		v.NotTitle = "Why " + y.Reader + " readers did not"
	}
	if y.Class != check.Exact {
		v.NotTitle = "And the " + lower(rowOf(r.Job, y).Title)
	}
	if _, why := w.tell(y, lower(rowOf(r.Job, y).Title)); len(why) > 0 {
		v.Not = []reason{why[w.point]}
	}
}

// whyWriter writes the reasons of one run.
type whyWriter struct {
	page  *runPage
	t     *trace.Trace
	job   *engine.Job
	rec   *recovery
	point int // index of the reason that decides, in what tell returned last
}

func (w *whyWriter) at(n int, text string) reason {
	return reason{Text: text, Event: n, Href: string(w.page.href(n))}
}

// tell gives a title and the reasons of one verdict.
func (w *whyWriter) tell(v *check.Verdict, title string) (string, []reason) {
	w.point = 0
	sink := slices.IndexFunc(w.job.Settings.Sinks, func(k engine.SinkSettings) bool { return k.Name == v.Sink })
	k := &w.job.Settings.Sinks[sink]
	guarded := w.guarded(v, sink)
	if again := w.askedAgain(); again != nil && w.rec == nil && v.Class == check.Duplicated {
		return "Why the " + title + " got it twice", again
	} else if again != nil && w.rec == nil && v.Class == check.Exact {
		return "Why the " + title + " stayed exact", again
	}
	switch {
	case v.Class == check.Stuck:
		return "Why the run did not come to rest", w.stuck()
	case guarded != nil && v.Class == check.Lost:
		return "Why results are missing", guarded
	case guarded != nil:
		return "Why the " + title + " stayed exact", guarded
	case v.Class == check.Lost || v.Class == check.Mixed:
		return "Why results are missing", w.lost(sink)
	case v.Class == check.Wrong:
		return "Why values of the " + title + " are off", w.off()
	case w.rec == nil && len(struck(w.t)) == 0:
		return "Why the " + title + " is exact", []reason{w.at(w.t.Len(), "Nothing failed in this run, so nothing was read or sent a second time.")}
	case w.rec == nil:
		return "Why this fault changed nothing", w.undisturbed()
	case v.Class == check.Duplicated && k.Kind == engine.SinkTransactional && v.Reader == "read_committed":
		return "Why this reader saw results twice", w.committedTwice(sink)
	case v.Class == check.Duplicated && k.Kind == engine.SinkTransactional:
		return "Why this reader saw results twice", w.dirtyRead(sink)
	case v.Class == check.Duplicated && k.Kind == engine.SinkEmail:
		_, many := nounOf(k)
		return "Why the " + many + " went out again", w.wroteTwice(sink)
	case v.Class == check.Duplicated:
		return "Why the " + title + " got results twice", w.wroteTwice(sink)
	case k.Kind == engine.SinkTransactional:
		return "Why the " + title + " stayed exact", w.transaction(sink)
	case k.Kind == engine.SinkUpsert:
		return "Why the " + title + " stayed exact", w.overwritten(sink, k)
	}
	return "Why the " + title + " stayed exact", w.nothingBetween(sink)
}

// undisturbed: nothing restarted.
func (w *whyWriter) undisturbed() []reason {
	return []reason{w.at(w.t.Len(), "Nothing restarted, so nothing was read a second time.")}
}

// wroteTwice: rows that left after the restored cut, the way back, the repeats.
func (w *whyWriter) wroteTwice(sink int) []reason {
	reps := w.repeatsAfterRestart(sink)
	out := []reason{}
	if len(reps) > 0 {
		first, last := reps[0].First, reps[0].First
		for _, p := range reps {
			first, last = min(first, p.First), max(last, p.First)
		}
		out = append(out, w.at(first, fmt.Sprintf("%s went out %s, %s.", w.rows(sink, reps), w.afterCut(), between(first, last))))
	}
	out = append(out, w.back())
	if len(reps) > 0 {
		text := "Replay read the same records again and wrote them again. What is outside cannot be rolled back."
		if w.t.At(reps[0].Again).Kind == engine.DedupValue {
			text = "The value was there and its id was not, so the store took the repeat for a new one."
		}
		out = append(out, w.at(reps[0].Again, text))
	}
	w.point = len(out) - 1
	return out
}

func (w *whyWriter) repeatsAfterRestart(sink int) []repeat {
	var out []repeat
	for _, p := range repeats(w.t, sink) {
		if p.First < w.rec.Restart && p.Again > w.rec.Restart {
			out = append(out, p)
		}
	}
	return out
}

// rows names what was repeated: "ana, ben and 2 more results".
func (w *whyWriter) rows(sink int, reps []repeat) string {
	var names []string
	for _, p := range reps {
		if key := w.job.Input.Keys[p.Key]; !contains(names, key) {
			names = append(names, key)
		}
	}
	keys := listOf(names)
	if len(names) > 4 {
		keys = strings.Join(names[:3], ", ") + " and others"
	}
	one, many := nounOf(&w.job.Settings.Sinks[sink])
	return fmt.Sprintf("%s (%s)", count(len(reps), one, many), trace.Clip(keys, 60))
}

func between(first, last int) string {
	if first == last {
		return fmt.Sprintf("at event %d", first)
	}
	return fmt.Sprintf("between events %d and %d", first, last)
}

// overwritten: the same rows again, into the same places.
func (w *whyWriter) overwritten(sink int, k *engine.SinkSettings) []reason {
	reps := w.repeatsAfterRestart(sink)
	if len(reps) == 0 {
		return w.nothingBetween(sink)
	}
	out := []reason{w.at(reps[0].Again, fmt.Sprintf("%s came again after the restart. Each write sets the row of its id, so the second one changed nothing.", w.rows(sink, reps)))}
	if k.Output == engine.TotalOutput {
		out[0].Text = fmt.Sprintf("%s came again after the restart. Each write sets the key's total: readers may see an older total for a while, then the same last one.", w.rows(sink, reps))
	}
	return append([]reason{w.back()}, w.decides(1, out)...)
}

func (w *whyWriter) decides(at int, out []reason) []reason {
	w.point = at
	return out
}

// nothingBetween: nothing had left since the cut.
func (w *whyWriter) nothingBetween(int) []reason {
	w.point = 1
	return []reason{w.back(), w.at(w.rec.Restart, fmt.Sprintf("Nothing had gone out %s, so the replay had nothing to repeat.", w.afterCut()))}
}
