package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Job is a run before its faults: scenario, settings, input and seed, compiled.
// It is immutable and shared by every run made from it.
type Job struct {
	Scenario   string // id, or "own"
	Settings   Settings
	Input      *Input
	Seed       uint64
	Conditions []Fault // always apply; given by time
	Plan       *Plan
}

// Impossible is a combination of settings that cannot be built.
type Impossible struct {
	Settings [2]string // the two settings, KEY=VALUE
	Why      string    // one sentence
	Nearest  string    // the nearest legal choice, KEY=VALUE
}

// Error names both settings, the reason and the nearest legal choice.
func (e *Impossible) Error() string {
	return fmt.Sprintf("%s with %s cannot be built. %s Nearest legal choice: %s.", e.Settings[0], e.Settings[1], e.Why, e.Nearest)
}

// NewJob checks the parts of a run and lays out its plan. Settings and input are
// taken over; the caller must not change them afterwards.
func NewJob(scenario string, set Settings, in *Input, seed uint64, conditions []Fault) (*Job, error) {
	if err := checkInput(in); err != nil {
		return nil, err
	}
	if err := set.check(); err != nil {
		return nil, err
	}
	j := &Job{Scenario: scenario, Settings: set, Input: in, Seed: seed, Conditions: conditions}
	if err := j.checkOperator(); err != nil {
		return nil, err
	}
	j.Settings.tablePart = len(in.Parts) - 1
	j.Plan = NewPlan(&j.Settings, in)
	if n := len(j.Plan.Tasks); n > MaxTasks {
		return nil, fmt.Errorf("the job has %d tasks; allowed: at most %d: fewer sinks, partitions or parallel tasks", n, MaxTasks)
	}
	for i := range j.Conditions {
		if j.Conditions[i].When.Form != AtTime {
			return nil, fmt.Errorf("condition %q: a condition is given by time, for example slow:enrich/1:x20@0s", j.Conditions[i])
		}
		if err := j.Conditions[i].Resolve(j); err != nil {
			return nil, fmt.Errorf("conditions: %w", err)
		}
	}
	return j, nil
}

func checkInput(in *Input) error {
	switch {
	case in != nil && in.Open && len(in.Parts) > 0 && len(in.Parts) <= MaxPartitions && in.Len() == 0:
		return nil
	case in == nil || in.Len() == 0:
		return fmt.Errorf("the input is empty; allowed: 1 to %d records", MaxRecords)
	case in.Len() > MaxRecords:
		return fmt.Errorf("the input has %d records; allowed: at most %d", in.Len(), MaxRecords)
	case len(in.Parts) > MaxPartitions:
		return fmt.Errorf("the input has %d partitions; allowed: at most %d, numbered from 0", len(in.Parts), MaxPartitions)
	}
	return nil
}

func (s *Settings) check() error {
	if len(s.Sinks) == 0 {
		return fmt.Errorf("the job has no sink; allowed: at least one")
	}
	for i := range s.Sinks {
		k := &s.Sinks[i]
		if !IsName(k.Name) || slices.Contains([]string{"source", "count", "enrich", "map", "loop", "reduce", "client", "replica", "coordinator", "job"}, k.Name) {
			return fmt.Errorf("sink name %q is taken or not a name", k.Name)
		}
		if slices.ContainsFunc(s.Sinks[:i], func(o SinkSettings) bool { return o.Name == k.Name }) {
			return fmt.Errorf("two sinks are named %q; names must differ", k.Name)
		}
		if err := s.checkSink(k); err != nil {
			return err
		}
	}
	return nil
}

func (s *Settings) checkSink(k *SinkSettings) error {
	at := func(key string) string {
		if len(s.Sinks) > 1 {
			return "sinks." + k.Name + "." + key
		}
		return key
	}
	if err := s.checkStrategy(k, at); err != nil {
		return err
	}
	if s.Topology == "MAP" && k.Output == TotalOutput {
		return &Impossible{Settings: [2]string{"topology=MAP", at("output") + "=total"},
			Why: "MAP keeps no state but offsets, so there is no total to write.", Nearest: at("output") + "=event"}
	}
	if s.Topology == "MAP" && k.EmitAt > 0 {
		return &Impossible{Settings: [2]string{"topology=MAP", fmt.Sprintf("%s=at-count:%d", at("emit"), k.EmitAt)},
			Why: "MAP keeps no state but offsets, so there is no count to reach.", Nearest: at("emit") + "=every"}
	}
	if k.Kind == SinkTransactional && k.Prefix == "" {
		return &Impossible{Settings: [2]string{at("sink") + "=transactional", at("transactional.id.prefix") + "="},
			Why:     "transactional.id.prefix is required: without a stable name nobody can end the transactions of an earlier attempt.",
			Nearest: at("transactional.id.prefix") + "=job-a"}
	}
	if len(k.Readers) == 0 {
		k.Readers = []Isolation{ReadCommitted}
	}
	return nil
}

// HasCoordinator reports whether the strategy runs a process that is not a task.
func (j *Job) HasCoordinator() bool {
	switch j.Settings.Strategy {
	case "offset-commit", "replicated":
		return false
	}
	return true
}

// FindNode is the number of a node of the plan, by its name node/N.
func (j *Job) FindNode(name string) (int, error) {
	var names []string
	for n := range j.Plan.Nodes() {
		names = append(names, fmt.Sprintf("node/%d", n))
		if names[n] == name {
			return n, nil
		}
	}
	return -1, fmt.Errorf("unknown node %q; allowed: %s", name, strings.Join(names, ", "))
}

// FindTask is Plan.Find with an error that lists what is allowed.
func (j *Job) FindTask(name string) (TaskID, error) {
	id, ok := j.Plan.Find(name)
	if ok {
		return id, nil
	}
	names := j.Plan.TaskNames()
	if j.HasCoordinator() {
		names = append(names, "coordinator")
	}
	msg := fmt.Sprintf("unknown task %q; allowed: %s", name, strings.Join(names, ", "))
	if near := Nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return NoTask, fmt.Errorf("%s", msg)
}
