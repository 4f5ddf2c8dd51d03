package stage

import (
	"context"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// AddFault makes a fault known that struck while the run was being watched. Events
// speak of faults by their number.
func (s *Stage) AddFault(f engine.Fault) {
	s.view.AddFault(f)
	s.tr.AddFault(f)
}

// SetVerdicts takes what readers found outside (Options.Outside): as many, of the same
// sinks and readers, as Verdicts had at the beginning. Others are not taken.
func (s *Stage) SetVerdicts(list []check.Verdict) {
	if old := s.Verdicts(); s.opt.Outside && len(list) == len(old) {
		s.verdicts = list
	}
}

// VerdictParts are the verdict's regions and attributes as they stand, with truth as
// its title line.
func (s *Stage) VerdictParts(ctx context.Context, truth string) (Step, error) {
	st := Step{Regions: map[string]string{}, Attrs: map[string]map[string]string{}}
	var err error
	if st.Regions["verdict/truth"], err = s.render(ctx, textRegion(truth)); err != nil {
		return st, err
	}
	for i := range s.Verdicts() {
		name := s.verdictName(i)
		if st.Regions[name], err = s.render(ctx, verdictRegion(s.verdictRow(i))); err != nil {
			return st, err
		}
		st.Attrs[name] = s.verdictAttrs(i)
	}
	return st, nil
}

// WithoutVerdicts takes out of a step what VerdictParts tells.
func (st *Step) WithoutVerdicts() {
	for name := range st.Regions {
		if strings.HasPrefix(name, "verdict/") {
			delete(st.Regions, name)
		}
	}
	for name := range st.Attrs {
		if strings.HasPrefix(name, "verdict/") {
			delete(st.Attrs, name)
		}
	}
}
