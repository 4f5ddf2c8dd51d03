package lessons

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/strict"
)

var scenarioFields = []string{"id", "title", "story", "log", "topology", "parallelism", "routing", "strategy", "input", "settings",
	"costs", "sinks", "conditions", "script", "pace", "seed", "claims"}

var sinkFields = []string{"name", "title", "sink", "output", "emit", "readers", "isolation.level", "transaction.timeout",
	"transaction.max.timeout", "transactional.id.prefix", "on.expired", "dedup.write", "dedup.retention", "position.scope",
	"idempotency.key", "provider.dedup.window", "reader.honours.log"}

// readScenario reads a scenario file. Names of input sets are looked up in inputs.
// The scenario is nil when there are problems that leave nothing to run.
func readScenario(file string, data []byte, inputs map[string]*inputFile) (*Scenario, []Problem) {
	doc, root, ok := strict.Parse(file, data, 0)
	if !ok {
		return nil, doc.Problems
	}
	m := root.Map(scenarioFields...)
	sc := &Scenario{ID: m.NeedText("id"), Title: m.NeedText("title"), Story: m.Text("story"), File: file, Settings: engine.BaseSettings(), lines: map[string]int{}}
	if want := strings.TrimSuffix(path.Base(file), ".yaml"); sc.ID != "" && sc.ID != want {
		m.Bad("id "+strict.Quote(sc.ID), "the file's name says "+strict.Quote(want)+"; make them equal")
	}
	sc.Seed = uint64(m.Int("seed", 1, 0, 1<<31))
	sc.Pace = m.Float("pace", DefaultPace, 0.1, 1000)
	sc.readSinks(m)
	sc.readSettings(m)
	sc.readInput(m, inputs)
	sc.Conditions, sc.Script = m.Texts("conditions"), m.Texts("script")
	for _, f := range []string{"conditions", "script", "topology", "sinks"} {
		if v, ok := m.Get(f); ok {
			sc.lines[f] = v.Line()
		}
	}
	if c, ok := m.Get("claims"); ok {
		sc.Claims = readClaims(c)
	}
	if len(doc.Problems) == 0 {
		sc.tryJob(m)
	}
	if len(doc.Problems) > 0 {
		return nil, doc.Problems
	}
	return sc, nil
}

func (sc *Scenario) readSinks(m strict.Map) {
	list, ok := m.Need("sinks")
	if !ok {
		return
	}
	for _, v := range list.List() {
		s := v.Map(sinkFields...)
		name := s.NeedText("name")
		sink := engine.BaseSink(name)
		sink.Title = s.Text("title")
		if name != "" && !engine.IsName(name) {
			s.Bad("name "+strict.Quote(name), "allowed: 1 to 40 letters, digits, dots, dashes or underscores")
			continue
		}
		sc.Settings.Sinks = append(sc.Settings.Sinks, sink)
		one := engine.Settings{Sinks: sc.Settings.Sinks[len(sc.Settings.Sinks)-1:]}
		for _, f := range sinkFields[2:] {
			if fv, ok := s.Get(f); ok {
				sc.set(&one, f, fv)
			}
		}
	}
}

// set changes one setting and places what is wrong with it.
func (sc *Scenario) set(st *engine.Settings, key string, v strict.Value) {
	var bad *engine.BadSetting
	if err := st.Set(key, v.Text()); errors.As(err, &bad) {
		do := "allowed: " + bad.Allowed
		if bad.Nearest != "" {
			do += fmt.Sprintf("; did you mean %q?", bad.Nearest)
		}
		if bad.UnknownKey {
			v.Bad("unknown setting "+strict.Quote(bad.Key), do)
			return
		}
		v.Bad("found "+strict.Quote(bad.Found), do)
	}
}

func (sc *Scenario) readSettings(m strict.Map) {
	st := &sc.Settings
	for _, key := range []string{"strategy", "topology"} {
		if v, ok := m.Get(key); ok {
			sc.set(st, key, v)
		}
	}
	if v, ok := m.Get("parallelism"); ok {
		sc.readParallelism(v)
	}
	if v, ok := m.Get("settings"); ok {
		for _, p := range v.Pairs() {
			sc.set(st, p.Key, p.Value)
		}
	}
	if v, ok := m.Get("routing"); ok {
		st.Routing = map[string]map[string]int{}
		for _, op := range v.Pairs() {
			st.Routing[op.Key] = map[string]int{}
			for _, k := range op.Value.Pairs() {
				st.Routing[op.Key][k.Key] = k.Value.Int(0, engine.MaxParallelism-1)
			}
		}
	}
	if v, ok := m.Get("costs"); ok {
		readCosts(v, &st.Costs)
	}
}

func (sc *Scenario) readParallelism(v strict.Value) {
	if !v.IsMap() {
		sc.set(&sc.Settings, "parallelism", v)
		return
	}
	for _, p := range v.Pairs() {
		n := p.Value.Int(1, engine.MaxParallelism)
		if err := sc.Settings.Set("parallelism", fmt.Sprintf("%s:%d", p.Key, n)); err != nil {
			p.Value.Bad("unknown operator "+strict.Quote(p.Key), strict.Allowed(p.Key, []string{"count", "sink", "enrich"}))
		}
	}
}

func readCosts(v strict.Value, c *engine.Costs) {
	fields := []struct {
		name string
		dst  *engine.Time
	}{{"read", &c.Read}, {"hop", &c.Hop}, {"operator", &c.Operator}, {"write", &c.Write}, {"snapshot", &c.Snapshot}, {"ack", &c.Ack}, {"commit", &c.Commit}}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	m := v.Map(names...)
	for _, f := range fields {
		fv, ok := m.Get(f.name)
		if !ok {
			continue
		}
		t, err := engine.ParseDuration(fv.Text())
		if err != nil || t == 0 {
			fv.Bad("found "+strict.Quote(fv.Text()), "allowed: a duration like 5ms, above 0")
			continue
		}
		*f.dst = t
	}
}

func (sc *Scenario) readInput(m strict.Map, inputs map[string]*inputFile) {
	v, ok := m.Need("input")
	if !ok {
		return
	}
	sc.Log = m.Text("log")
	f := (*inputFile)(nil)
	if v.IsMap() {
		f = readInput(v, sc.ID)
	} else if name := v.Text(); name != "" {
		if f = inputs[name]; f == nil {
			v.Bad("found "+strict.Quote(name), strict.Allowed(name, inputNames(inputs)))
			return
		}
	}
	if f == nil {
		return
	}
	sc.Input = f.in
	if sc.Log == "" {
		sc.Log = f.log
	}
}

func inputNames(inputs map[string]*inputFile) []string {
	var out []string
	for name := range inputs {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// tryJob builds the job once, so that what cannot be built is found when the file
// is read and not when a learner opens it.
func (sc *Scenario) tryJob(m strict.Map) {
	job, err := sc.job(sc.Settings.Clone(), sc.Input, sc.Seed)
	if err != nil {
		at, field := m.Value, "sinks"
		var fault *engine.BadFault
		if errors.As(err, &fault) || len(sc.Conditions) > engine.MaxFaults {
			field = "conditions"
		}
		if v, ok := m.Get(field); ok {
			at = v
		}
		at.Bad(err.Error(), "")
		return
	}
	if v, ok := m.Get("script"); ok {
		if _, err := compileFaults(job, sc.Script); err != nil {
			v.Bad(err.Error(), "")
		}
	}
}

// job builds a job of this scenario. Settings are taken over.
func (sc *Scenario) job(st engine.Settings, in *engine.Input, seed uint64) (*engine.Job, error) {
	conditions, err := parseFaults(sc.Conditions)
	if err != nil {
		return nil, err
	}
	return engine.NewJob(sc.ID, st, in, seed, conditions)
}

func parseFaults(specs []string) ([]engine.Fault, error) {
	if len(specs) > engine.MaxFaults {
		return nil, fmt.Errorf("%d faults; allowed: at most %d", len(specs), engine.MaxFaults)
	}
	var out []engine.Fault
	for _, s := range specs {
		f, err := engine.ParseFault(s)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func compileFaults(job *engine.Job, specs []string) ([]engine.Fault, error) {
	out, err := parseFaults(specs)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err := out[i].Resolve(job); err != nil {
			return nil, err
		}
	}
	return out, nil
}
