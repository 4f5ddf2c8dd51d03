package web

import "testing"

func TestSocketsAreCountedAndTold(t *testing.T) {
	var s sockets
	var closing <-chan struct{}
	for i := range maxSockets {
		var err error
		if closing, err = s.enter(); err != nil {
			t.Fatalf("socket %d was refused: %v", i+1, err)
		}
	}
	if _, err := s.enter(); err == nil {
		t.Errorf("socket %d was let in", maxSockets+1)
	}
	s.leave()
	if _, err := s.enter(); err != nil {
		t.Errorf("a free place was refused: %v", err)
	}
	s.close()
	s.close() // twice does no harm
	select {
	case <-closing:
	default:
		t.Error("open sockets were not told that the server closes")
	}
	s.leave()
	if _, err := s.enter(); err != errClosing {
		t.Errorf("a socket of a closing server got %v", err)
	}
}
