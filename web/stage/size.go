package stage

// Width is the width of the drawing in its own units.
func (s *Stage) Width() int { return s.lay.W }

// Height is the height of the drawing in its own units.
func (s *Stage) Height() int { return s.lay.H }
