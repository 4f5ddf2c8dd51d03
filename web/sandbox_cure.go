package web

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// cure is one changed setting under which a setup promises more. It is offered only
// after exactly that setup was explored too.
type cure struct {
	Key      string // of the line that causes the bad promise, as the form names it
	Was, Use string // KEY=VALUE
	Class    string // the worst class that the line leads to, for the style of its outline
	Then     string // what the changed setup can promise
	Href     templ.SafeURL
}

// remedy is a setting that can be the cause of a bad promise, with the values that
// may mend it, the nearest first.
type remedy struct {
	key    string
	values []string
	longer bool // a duration: only values above the present one are tried
}

// remedies are in the order in which a person would change them: what a guarantee is
// called first, then how long something is kept, then another kind of sink.
func remedies() []remedy {
	return []remedy{
		{key: "checkpoint.mode", values: []string{"exactly_once"}},
		{key: "processing.guarantee", values: []string{"exactly_once_v2"}},
		{key: "commit", values: []string{"after"}},
		{key: "async.progress", values: []string{"off"}},
		{key: "flaw", values: []string{engine.NoFlaw}},
		{key: "mode", values: []string{"exactly_once"}},
		{key: "production", values: []string{"strong"}},
		{key: "spout", values: []string{"opaque", "transactional"}},
		{key: "state", values: []string{"opaque", "transactional"}},
		{key: "command.log", values: []string{"sync"}},
		{key: "coordinator.log", values: []string{"on"}},
		{key: "k", values: []string{"1", "2"}},
		{key: "state.recovery", values: []string{"snapshot", "changelog"}},
		{key: "watermark.restore", values: []string{"snapshot"}},
		{key: "lookup", values: []string{engine.LookupStored}},
		{key: "readers", values: []string{"read_committed"}},
		{key: "transaction.timeout", values: []string{"5s", "10s", "1m", "10m", "15m"}, longer: true},
		{key: "dedup.retention", values: []string{"10s", "1m", "1h"}, longer: true},
		{key: "provider.dedup.window", values: []string{"10s", "1m", "1h"}, longer: true},
		{key: "dedup.write", values: []string{"atomic"}},
		{key: "position.scope", values: []string{"key-and-partition"}},
		{key: "idempotency.key", values: []string{"from-input"}},
		{key: "fencing", values: []string{"on"}},
		{key: "reader.honours.log", values: []string{"true"}},
		{key: "sink", values: []string{"upsert", "transactional", "offset-with-output", "dedup"}},
	}
}

// tries are the changes of one setting that can act in a job: for a sink's setting
// those of every sink.
func (r remedy) tries(set *engine.Settings) (out []cure) {
	info := slices.IndexFunc(engine.SettingInfos(), func(d engine.SettingInfo) bool { return d.Key == r.key })
	if info < 0 {
		return nil
	}
	add := func(full string, k *engine.SinkSettings) {
		now := set.Value(r.key, k)
		if set.Idle(r.key, k) != "" || k != nil && r.key == "sink" && k.Kind != engine.SinkAppend && k.Kind != engine.SinkUpsert {
			return // what a sink is for stays: an e-mail cannot become a row
		}
		for _, v := range r.values {
			if v != now && (!r.longer || above(v, now)) {
				out = append(out, cure{Key: full, Was: r.key + "=" + now, Use: r.key + "=" + v})
			}
		}
	}
	if !engine.SettingInfos()[info].PerSink {
		add(r.key, nil)
		return out
	}
	for i := range set.Sinks {
		add("sinks."+set.Sinks[i].Name+"."+r.key, &set.Sinks[i])
	}
	return out
}

func above(a, b string) bool {
	x, errA := engine.ParseDuration(a)
	y, errB := engine.ParseDuration(b)
	return errA == nil && errB == nil && x > y
}

// findCure explores the setup with one setting changed, one after the other, until
// one makes every crash exact; else the one that helps most. The number says how many
// changes were tried to the end; it is all of them unless the time ran out.
func (s *Server) findCure(ctx context.Context, q lessons.Query, set *engine.Settings, found *Explored) (best *cure, tried int, all bool) {
	setup, err := s.catalogue.Setup(q)
	if err != nil {
		return nil, 0, false
	}
	page := &sandboxPage{Setup: setup, Query: q}
	bar := found
	for _, r := range remedies() {
		if r.key == "sink" && best != nil {
			break // a setting that helps is nearer than another outside world
		}
		for _, c := range r.tries(set) {
			_, value, _ := strings.Cut(c.Use, "=")
			next := page.after(c.Key + "=" + value)
			calm, _ := calmed(next)
			job, faults, err := s.compile(ctx, calm)
			if err != nil {
				continue // it cannot be built, or not yet: then it is no remedy of one click
			}
			got, err := s.runner.Explore(ctx, job, faults, Exploration{Depth: 1, Budget: promiseBudget})
			if err != nil || ctx.Err() != nil {
				return best, tried, false
			}
			tried++
			if got.Points == 0 || !promisesMore(got, bar) {
				continue
			}
			c.Class, c.Then, c.Href = string(worstOf(found)), thenWords(got), sandboxURL(next)
			best, bar = &c, got
			if unlike(got) == 0 {
				return best, tried, true
			}
		}
	}
	return best, tried, true
}

// promisesMore: the worst that can happen is less bad, or as bad and rarer.
func promisesMore(a, b *Explored) bool {
	x, y := worstOf(a), worstOf(b)
	if x != y {
		return check.Worst(x, y) == y
	}
	return unlike(a)*b.Points < unlike(b)*a.Points
}

// worstOf is the worst class that an exploration found.
func worstOf(e *Explored) check.Class {
	worst := check.Exact
	for _, class := range check.Classes() {
		if e.Classes[string(class)] > 0 {
			worst = check.Worst(worst, class)
		}
	}
	return worst
}

// unlike counts the crashes after which it was not exact.
func unlike(e *Explored) int { return e.Points - e.Classes[string(check.Exact)] }

func thenWords(e *Explored) string {
	if n := unlike(e); n > 0 {
		return fmt.Sprintf("Then the worst is %s, and %d of %d crashes are not exact.", worstOf(e), n, e.Points)
	}
	if e.Of > e.Points {
		return fmt.Sprintf("Then the first %d of %d crashes end exact.", e.Points, e.Of)
	}
	return fmt.Sprintf("Then all %d crashes end exact.", e.Points)
}

// incurable says that nothing of one click helps, and how much was tried.
func incurable(tried int, all bool) string {
	switch {
	case !all:
		return "The time was over before a single setting was found that helps."
	case tried == 0:
		return "No single setting of this job could mend it."
	}
	return "No single setting mends it: " + count(tried, "change was", "changes were") + " tried."
}
