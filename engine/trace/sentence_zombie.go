package trace

import "fmt"

// woke tells that a zombie goes on.
func (s *speaker) woke() string {
	queue := "with an empty queue"
	if s.e.Value > 0 {
		queue = "with " + fmt.Sprint(s.e.Value) + " in its queue"
	}
	return fmt.Sprintf("woke up %s; it had been replaced.", queue)
}

// refusedToken is a store turning a writer away by its token.
func (s *speaker) refusedToken() string {
	who := s.actor
	s.actor = "the store"
	if k := s.sink(); k == nil {
		s.actor = "the broker"
	}
	return fmt.Sprintf("refused %s: token %d is old, the newest is %d.", who, s.e.Before, s.e.After)
}

// zombieName is how sentences call a process that has been replaced.
func zombieName(name string) string { return "zombie " + Clip(name, maxName-4) }
