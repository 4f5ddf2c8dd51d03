package live

import "sync"

// mailbox holds messages for one goroutine. Putting never waits: a coordinator must
// not stand still because a task does.
type mailbox[T any] struct {
	mu   sync.Mutex
	mail []T
	bell chan struct{} // rung when there may be mail
}

func newMailbox[T any]() *mailbox[T] { return &mailbox[T]{bell: make(chan struct{}, 1)} }

func (m *mailbox[T]) put(v T) {
	m.mu.Lock()
	m.mail = append(m.mail, v)
	m.mu.Unlock()
	m.ring()
}

func (m *mailbox[T]) ring() {
	select {
	case m.bell <- struct{}{}:
	default:
	}
}

// next takes the oldest message that is wanted.
func (m *mailbox[T]) next(wanted func(*T) bool) (v T, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.mail {
		if wanted == nil || wanted(&m.mail[i]) {
			v = m.mail[i]
			m.mail = append(m.mail[:i], m.mail[i+1:]...)
			return v, true
		}
	}
	return v, false
}
