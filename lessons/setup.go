package lessons

import (
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine"
)

// Setup is what a query says about a job, before anybody asks whether it can be
// built: a form has to show a half-changed job as well.
type Setup struct {
	Scenario *Scenario
	Settings engine.Settings
	Own      engine.Settings // the scenario's own values, for the sinks that there are now
	Input    string          // name of the input set; "" where the scenario's own has no file
	Bad      []*BadParam     // values that were not understood, in order; the others are set
}

// Setup reads the settings of a query one by one. It fails with *NotFound for an
// unknown scenario only; what is wrong with a setting is listed.
func (c *Catalogue) Setup(q Query) (*Setup, error) {
	sc, err := c.find(q.Scenario)
	if err != nil {
		return nil, err
	}
	u := &Setup{Scenario: sc, Settings: sc.Settings.Clone(), Own: sc.Settings.Clone(), Input: sc.Input.Name}
	in := sc.Input
	for _, kv := range ShapeFirst(q.Set) {
		if err := c.applySettings(&u.Settings, &in, []string{kv}); err != nil {
			u.Bad = append(u.Bad, asBad(err))
			continue
		}
		if names, ok := strings.CutPrefix(kv, "sinks="); ok {
			_ = u.Own.Set("sinks", names) // it was understood a moment ago
		}
	}
	if in != sc.Input {
		u.Input = in.Name
	}
	return u, nil
}

func asBad(err error) *BadParam {
	if p, ok := err.(*BadParam); ok {
		return p
	}
	return &BadParam{Param: "set", Msg: err.Error(), Err: err}
}

// ShapeFirst puts the settings that name sinks before those of the sinks; the
// others keep their order.
func ShapeFirst(set []string) []string {
	out := slices.Clone(set)
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}

func rank(kv string) int {
	if strings.HasPrefix(kv, "sinks=") {
		return 0
	}
	return 1
}

// InputNames lists the input sets that set=input=NAME knows.
func (c *Catalogue) InputNames() []string { return inputNames(c.inputs) }

// Input is the input set of this name, nil if there is none.
func (c *Catalogue) Input(name string) *engine.Input {
	if f := c.inputs[name]; f != nil {
		return f.in
	}
	return nil
}

// FromBlank says the whole of a scenario as settings and faults over another one:
// the job that comes of it has the same parts, settings, input and seed. Conditions
// become the first faults.
func (c *Catalogue) FromBlank(id, blank string) (Query, error) {
	sc, err := c.find(id)
	if err != nil {
		return Query{}, err
	}
	base, err := c.Setup(Query{Scenario: blank, Set: []string{"sinks=" + sc.Settings.Value("sinks", nil)}})
	if err != nil {
		return Query{}, err
	}
	q := Query{Scenario: blank, Faults: slices.Concat(sc.Conditions, sc.Script), Set: Changes(&sc.Settings, &base.Own)}
	own := base.Scenario
	if was, is := own.Settings.Value("sinks", nil), sc.Settings.Value("sinks", nil); was != is {
		q.Set = append([]string{"sinks=" + is}, q.Set...)
	}
	if sc.Input.Name != own.Input.Name {
		q.Set = append(q.Set, "input="+sc.Input.Name)
	}
	if sc.Seed != own.Seed {
		q.Seed = strconv.FormatUint(sc.Seed, 10)
	}
	return q, nil
}

// Changes lists, as KEY=VALUE, what differs from other settings with the same
// sinks, the sinks themselves left out.
func Changes(set, from *engine.Settings) []string {
	var out []string
	for _, d := range engine.SettingInfos() {
		switch {
		case d.Alias || d.Key == "sinks":
		case !d.PerSink:
			if v := set.Value(d.Key, nil); v != from.Value(d.Key, nil) {
				out = append(out, d.Key+"="+v)
			}
		default:
			out = append(out, sinkChanges(d.Key, set, from)...)
		}
	}
	return out
}

func sinkChanges(key string, set, from *engine.Settings) (out []string) {
	for i := range set.Sinks {
		if v := set.Value(key, &set.Sinks[i]); i >= len(from.Sinks) || v != from.Value(key, &from.Sinks[i]) {
			out = append(out, SinkKey(set, i, key)+"="+v)
		}
	}
	return out
}

// SinkKey is the full name of a sink's setting, short where there is one sink.
func SinkKey(set *engine.Settings, i int, key string) string {
	if len(set.Sinks) == 1 {
		return key
	}
	return "sinks." + set.Sinks[i].Name + "." + key
}
