package web

import (
	"bytes"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes/progress"
)

// Inputs keeps own records that are too large for a URL, by the hash of their
// bytes. Put and Get may be called concurrently. An input that is not there any
// more is not an error of the store: Get says false.
type Inputs interface {
	Put(ctx context.Context, data []byte) (hash string, err error)
	Get(ctx context.Context, hash string) (data []byte, ok bool, err error)
}

// memoryInputs forgets after a lifetime, and earlier when its room is used up:
// then what was pasted first goes first. A restart forgets everything.
type memoryInputs struct {
	mu    sync.Mutex
	life  time.Duration
	now   func() time.Time
	room  int // bytes still free
	order *list.List
	kept  map[string]*list.Element
}

type keptInput struct {
	hash  string
	data  []byte
	until time.Time
}

const inputRoom = 64 << 20

func newMemoryInputs(life time.Duration, now func() time.Time) *memoryInputs {
	return &memoryInputs{life: life, now: now, room: inputRoom, order: list.New(), kept: map[string]*list.Element{}}
}

// Put implements Inputs. Pasting the same again starts its lifetime anew.
func (m *memoryInputs) Put(_ context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	if el, ok := m.kept[hash]; ok {
		m.drop(el)
	}
	for m.room < len(data) && m.order.Len() > 0 {
		m.drop(m.order.Front())
	}
	m.kept[hash] = m.order.PushBack(&keptInput{hash: hash, data: bytes.Clone(data), until: m.now().Add(m.life)})
	m.room -= len(data)
	return hash, nil
}

// Get implements Inputs.
func (m *memoryInputs) Get(_ context.Context, hash string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	el, ok := m.kept[hash]
	if !ok {
		return nil, false, nil
	}
	k := el.Value.(*keptInput)
	if m.now().After(k.until) {
		m.drop(el)
		return nil, false, nil
	}
	return k.data, true, nil
}

func (m *memoryInputs) drop(el *list.Element) {
	k := m.order.Remove(el).(*keptInput)
	delete(m.kept, k.hash)
	m.room += len(k.data)
}

// name keeps pasted records and returns the value of the parameter input: in the
// URL itself while they fit, else by their hash.
func (s *Server) name(ctx context.Context, data []byte) (string, error) {
	packed, err := lessons.EncodeInput(data)
	if !errors.Is(err, lessons.ErrTooLarge) {
		return packed, err
	}
	hash, err := s.inputs.Put(ctx, data)
	if err != nil {
		s.log.Error("pasted records cannot be kept", "err", err)
		return "", fmt.Errorf("these records do not fit into a link (up to about 8 KiB they do), and they cannot be kept at the moment: %s", progress.WhyNot(err))
	}
	return "h." + hash, nil
}

// unhash replaces input=h.… by the records themselves.
func (s *Server) unhash(ctx context.Context, q lessons.Query) (lessons.Query, error) {
	hash, ok := strings.CutPrefix(q.Input, "h.")
	if !ok {
		return q, nil
	}
	if raw, err := hex.DecodeString(hash); err != nil || len(raw) != sha256.Size {
		return q, bad("input", q.Input, "h. and the 64 hexadecimal digits of a hash, or z. and packed records")
	}
	data, found, err := s.inputs.Get(ctx, hash)
	var trouble *progress.Trouble
	if errors.As(err, &trouble) {
		return q, &Problem{Status: http.StatusServiceUnavailable, Param: "input", Found: q.Input, Msg: "The records of this link cannot be read at the moment: " + trouble.Why + "."}
	}
	if err != nil {
		return q, err
	}
	if !found {
		without := q
		without.Input = ""
		return q, &Problem{Status: 410, Param: "input", Found: q.Input, Without: "/run?" + queryOf(without),
			Msg: "Pasted records that do not fit into a link are kept for 30 days. These are gone. Paste them again and you get the same link."}
	}
	var words []string
	unit := ""
	if sc := s.catalogue.Scenario(q.Scenario); sc != nil {
		words, unit = sc.Input.Words, sc.Input.Unit
	}
	own, err := lessons.ParseInput("input", bytes.NewReader(data), words)
	if err != nil {
		return q, &Problem{Status: 400, Param: "input", Found: q.Input, Msg: err.Error()}
	}
	own.Unit = unit
	q.Own = own
	return q, nil
}
