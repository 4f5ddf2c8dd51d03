package engine

import "fmt"

// refuseOperator refuses operators and lookups where they are not modelled, and
// sinks that cannot tell their rows apart. A dedup operator hands on the first
// record of a key, which is the counter's emit = at-count:1.
func (s *Settings) refuseOperator(k *SinkSettings, at func(string) string) *Impossible {
	if imp := s.refuseLookup(k, at); imp != nil || s.Operator == OperatorCount {
		return imp
	}
	op := "operator=" + s.Operator
	kind := at("sink") + "=" + string(k.Kind)
	switch {
	case s.Strategy != "barriers" && s.Strategy != "microbatch":
		return &Impossible{Settings: [2]string{"strategy=" + s.Strategy, op},
			Why: "Not modelled: windows, joins and the dedup operator keep their state in checkpoints or state versions.", Nearest: "strategy=barriers"}
	case s.Topology == "MAP":
		return &Impossible{Settings: [2]string{"topology=MAP", op}, Why: "MAP has no keyed step.", Nearest: "topology=J"}
	case k.Output == TotalOutput:
		return &Impossible{Settings: [2]string{op, at("output") + "=total"},
			Why: "Only the counter writes totals; this operator's rows have an id and an amount.", Nearest: at("output") + "=event"}
	case k.EmitAt > 1 || k.EmitAt == 1 && s.Operator != OperatorDedup:
		return &Impossible{Settings: [2]string{op, fmt.Sprintf("%s=at-count:%d", at("emit"), k.EmitAt)},
			Why: "Only the counter has a count to reach.", Nearest: at("emit") + "=every"}
	case s.Operator == OperatorWindow && k.Kind == SinkPosition:
		return &Impossible{Settings: [2]string{op, kind}, Why: "A window's row has no position in the input.", Nearest: at("sink") + "=dedup"}
	case k.Kind == SinkState:
		return &Impossible{Settings: [2]string{op, kind}, Why: "Only the counter's table can be read from outside.", Nearest: at("sink") + "=upsert"}
	case s.Operator == OperatorWindow && s.WatermarkRestore == "none" && s.Strategy == "microbatch":
		return &Impossible{Settings: [2]string{"strategy=microbatch", "watermark.restore=none"},
			Why: "Spark writes the watermark into its logs, so a restart has it.", Nearest: "watermark.restore=snapshot"}
	}
	if s.Operator == OperatorDedup {
		k.EmitAt = 1
	}
	return nil
}

func (s *Settings) refuseLookup(k *SinkSettings, at func(string) string) *Impossible {
	look := "lookup=" + s.Lookup
	switch {
	case s.Lookup == LookupOff:
	case s.Topology != "K":
		return &Impossible{Settings: [2]string{look, "topology=" + s.Topology}, Why: "The step that looks up is enrich, which only K has.", Nearest: "topology=K"}
	case s.Strategy != "barriers" && s.Strategy != "microbatch":
		return &Impossible{Settings: [2]string{"strategy=" + s.Strategy, look}, Why: "Not modelled.", Nearest: "strategy=barriers"}
	case k.Output == TotalOutput:
		return &Impossible{Settings: [2]string{look, at("output") + "=total"}, Why: "A total does not show the answer.", Nearest: at("output") + "=event"}
	case s.Operator != OperatorCount:
		return &Impossible{Settings: [2]string{look, "operator=" + s.Operator},
			Why: "Not modelled: a row would have two values that nobody can tell apart.", Nearest: "operator=count"}
	}
	return nil
}

// checkOperator compares the operator with the input.
func (j *Job) checkOperator() error {
	s := &j.Settings
	switch {
	case len(j.Input.Words) > 0 && (s.Operator == OperatorWindow || s.Operator == OperatorJoin):
		return fmt.Errorf("operator=%s with an input whose values are words; allowed: values that are numbers", s.Operator)
	case len(j.Input.Words) > 0 && s.Lookup != LookupOff:
		return fmt.Errorf("lookup=%s with an input whose values are words; allowed: values that are numbers", s.Lookup)
	case s.Operator == OperatorJoin && len(j.Input.Parts) < 2:
		return fmt.Errorf("operator=join with an input of one partition; allowed: at least two, of which the last is the table's changelog")
	}
	return nil
}
