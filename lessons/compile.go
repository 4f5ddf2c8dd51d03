package lessons

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/strict"
)

// Query is what a URL or a command line says about a run.
type Query struct {
	Scenario string
	Set      []string // KEY=VALUE
	Seed     string   // "": the scenario's
	Faults   []string
	Input    string // own records as a parameter: z.…; "": the scenario's input

	Own     *engine.Input // own records already read; goes before the others
	OwnData []byte        // own records not yet read, from a file
	OwnName string        // the file's name, for messages
}

// BadParam is a part of a query that was not understood: HTTP status 400, exit
// status 2.
type BadParam struct {
	Param   string // scenario, set, seed, fault, input
	Found   string
	Allowed string
	Nearest string
	Msg     string // the whole message
	Err     error  // what lies beneath, for example *engine.Impossible
}

// Error is the whole message.
func (e *BadParam) Error() string { return e.Msg }

// Unwrap is what lies beneath.
func (e *BadParam) Unwrap() error { return e.Err }

// NotFound is a name that the catalogue does not have: HTTP status 404.
type NotFound struct {
	What, Name, Nearest string
	Known               []string
}

// Error names what was asked for and what there is.
func (e *NotFound) Error() string {
	return fmt.Sprintf("unknown %s %s; %s", e.What, quoted(e.Name), strict.Allowed(e.Name, e.Known))
}

func badParam(param, found, allowed, nearest string) *BadParam {
	msg := fmt.Sprintf("%s: found %s; allowed: %s", param, quoted(found), allowed)
	if nearest != "" {
		msg += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return &BadParam{Param: param, Found: found, Allowed: allowed, Nearest: nearest, Msg: msg}
}

func wrapParam(param, found string, err error) *BadParam {
	p := &BadParam{Param: param, Found: found, Msg: err.Error(), Err: err}
	var setting *engine.BadSetting
	var impossible *engine.Impossible
	switch {
	case errors.As(err, &setting):
		p.Allowed, p.Nearest = setting.Allowed, setting.Nearest
	case errors.As(err, &impossible):
		p.Nearest = impossible.Nearest
	}
	return p
}

// maxSet bounds how many settings a query may change.
const maxSet = 64

// Compile makes the job and the faults that a query means. Its errors are
// *NotFound for an unknown scenario, otherwise *BadParam.
func (c *Catalogue) Compile(q Query) (*engine.Job, []engine.Fault, error) {
	sc, err := c.find(q.Scenario)
	if err != nil {
		return nil, nil, err
	}
	st := sc.Settings.Clone()
	in := sc.Input
	if err := c.applySettings(&st, &in, q.Set); err != nil {
		return nil, nil, err
	}
	seed := sc.Seed
	if q.Seed != "" {
		if seed, err = strconv.ParseUint(q.Seed, 10, 64); err != nil {
			return nil, nil, badParam("seed", q.Seed, "a whole number from 0 to 18446744073709551615", "")
		}
	}
	if in, err = ownInput(q, in); err != nil {
		return nil, nil, err
	}
	job, err := sc.job(st, in, seed)
	if err != nil {
		return nil, nil, wrapParam("set", strings.Join(q.Set, " "), err)
	}
	faults, err := compileFaults(job, q.Faults)
	if err != nil {
		return nil, nil, wrapParam("fault", strings.Join(q.Faults, " "), err)
	}
	return job, faults, nil
}

func (c *Catalogue) find(id string) (*Scenario, error) {
	sc := c.Scenario(id)
	if sc == nil {
		return nil, &NotFound{What: "scenario", Name: id, Known: c.ScenarioIDs(), Nearest: engine.Nearest(id, c.ScenarioIDs())}
	}
	return sc, nil
}

func (c *Catalogue) applySettings(st *engine.Settings, in **engine.Input, set []string) error {
	if len(set) > maxSet {
		return badParam("set", fmt.Sprintf("%d settings", len(set)), fmt.Sprintf("at most %d", maxSet), "")
	}
	for _, kv := range ShapeFirst(set) {
		key, value, ok := strings.Cut(kv, "=")
		switch {
		case !utf8.ValidString(kv):
			return badParam("set", kv, "text in UTF-8", "")
		case !ok:
			return badParam("set", kv, "KEY=VALUE, for example checkpoint.interval=150ms", nearestSetting(kv))
		case key == "input":
			f := c.inputs[value]
			if f == nil {
				return badParam("set input", value, strings.Join(inputNames(c.inputs), ", "), engine.Nearest(value, inputNames(c.inputs)))
			}
			*in = f.in
			continue
		}
		if err := st.Set(key, value); err != nil {
			return wrapParam("set", kv, err)
		}
	}
	return nil
}

func nearestSetting(key string) string {
	if near := engine.Nearest(key, engine.SettingKeys()); near != "" {
		return near + "=…"
	}
	return ""
}

// ownInput replaces the scenario's input by the user's records, if there are any.
func ownInput(q Query, in *engine.Input) (*engine.Input, error) {
	if q.Own != nil {
		return q.Own, nil
	}
	data, name := q.OwnData, q.OwnName
	if data == nil && q.Input == "" {
		return in, nil
	}
	if data == nil {
		var err error
		if data, err = DecodeInput(q.Input); err != nil {
			return nil, &BadParam{Param: "input", Found: q.Input, Msg: "input: " + err.Error(), Err: err}
		}
		name = "input"
	}
	own, err := ParseInput(name, bytes.NewReader(data), in.Words)
	if err != nil {
		return nil, &BadParam{Param: "input", Found: name, Msg: err.Error(), Err: err}
	}
	own.Name, own.Unit = "own", in.Unit
	return own, nil
}

// Differences lists the settings of a job that are not the base values, in the
// order in which pages show settings: what people need to know about a run.
func Differences(job *engine.Job) [][2]string {
	base := engine.BaseSettings()
	for i := range job.Settings.Sinks {
		base.Sinks = append(base.Sinks, engine.BaseSink(job.Settings.Sinks[i].Name))
	}
	was, is := base.Values(), job.Settings.Values()
	var out [][2]string
	for _, d := range engine.SettingInfos() {
		if d.Shape { // the stage shows the parts of a job
			continue
		}
		for _, full := range settingNames(job, d.Key) {
			if v, ok := is[full]; ok && v != was[full] && !(d.Key == "isolation.level") {
				out = append(out, [2]string{full, v})
			}
		}
	}
	return slices.Clip(out)
}

func settingNames(job *engine.Job, key string) []string {
	out := []string{key}
	for i := range job.Settings.Sinks {
		out = append(out, "sinks."+job.Settings.Sinks[i].Name+"."+key)
	}
	return out
}
