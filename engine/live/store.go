package live

import (
	"errors"
	"fmt"
	"sync"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// Part is what a checkpoint keeps of one task: the snapshot of its machine, and for
// a sink what the outside system needs to end the promised transactions.
type Part struct {
	Snapshot world.Snapshot
	Promises []Promise
}

// Manifest is a completed checkpoint. Sealing it is the moment at which the
// checkpoint begins to exist: only sealed ones are restored from.
type Manifest struct {
	Ckpt    int32
	Attempt int16 // of the job that sealed it
	Job     string
	Parts   []PartRef // in the order of the plan's tasks
}

// Store keeps checkpoints where no crash of the job's processes reaches. One
// process (the leader's) seals; every host puts and loads parts.
type Store interface {
	// Life counts a start of the job and says which number the next checkpoint has.
	// The attempt grows with each call, over crashes of every process.
	Life() (attempt int16, next int32, err error)
	// Put makes a part durable: when it returns, a crash of the machine does not lose it.
	// An error leaves nothing behind that a restore could take for the part.
	Put(n int32, attempt int16, task engine.TaskID, p *Part) (PartRef, error)
	// Load reads a part back. A *Damaged error says what is wrong with it.
	Load(ref PartRef) (Part, error)
	// Seal makes a checkpoint the newest one, after all its parts were put.
	Seal(m Manifest) error
	// Newest is the checkpoint to restore from; Ckpt 0: there is none. Where the newest
	// is damaged the answer is a *Damaged error, never silently an older one.
	Newest() (Manifest, error)
	// Discard forgets the parts of a checkpoint that will not complete.
	Discard(n int32, attempt int16)
}

// Damaged says that something that was durable is no longer what was written.
type Damaged struct {
	File  string // relative to the store
	Found string // what is wrong: "12 of 86 bytes", "the checksum is …, written was …"
	Older int32  // a completed checkpoint before it that is still kept, 0: none
}

// Error names the file, what was found, and what can be done.
func (d *Damaged) Error() string {
	s := fmt.Sprintf("the checkpoint file %s is damaged: %s", d.File, d.Found)
	if d.Older != 0 {
		return s + fmt.Sprintf("; checkpoint %d before it is kept and can be chosen, then its outputs since are repeated", d.Older)
	}
	return s + "; no older checkpoint is kept"
}

// ErrLives is returned when a job was started more often than attempts have numbers.
var ErrLives = errors.New("the job was started 32,767 times; empty its checkpoint folder to begin again")

// Memory is a Store in this process's memory, for jobs whose processes are
// goroutines. It survives what they do to each other, not the process.
type Memory struct {
	mu      sync.Mutex
	attempt int16
	next    int32
	newest  Manifest
	parts   map[PartRef]Part
}

// Life implements Store.
func (m *Memory) Life() (int16, int32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.attempt == 32767 {
		return 0, 0, ErrLives
	}
	m.attempt++
	return m.attempt, m.next + 1, nil
}

// Put implements Store.
func (m *Memory) Put(n int32, attempt int16, task engine.TaskID, p *Part) (PartRef, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.parts == nil {
		m.parts = map[PartRef]Part{}
	}
	ref := PartRef{Ckpt: n, Attempt: attempt, Task: task}
	m.next = max(m.next, n)
	m.parts[ref] = *p
	return ref, nil
}

// Load implements Store.
func (m *Memory) Load(ref PartRef) (Part, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p, ok := m.parts[ref]; ok {
		return p, nil
	}
	return Part{}, &Damaged{File: partName(ref.Ckpt, ref.Attempt, ref.Task), Found: "it is not there"}
}

// Seal implements Store.
func (m *Memory) Seal(f Manifest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newest, m.next = f, max(m.next, f.Ckpt)
	for ref := range m.parts {
		if ref.Ckpt < f.Ckpt {
			delete(m.parts, ref)
		}
	}
	return nil
}

// Newest implements Store.
func (m *Memory) Newest() (Manifest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.newest, nil
}

// Discard implements Store.
func (m *Memory) Discard(n int32, attempt int16) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ref := range m.parts {
		if ref.Ckpt == n && ref.Attempt == attempt {
			delete(m.parts, ref)
		}
	}
}

// partName is the file of a part.
func partName(n int32, attempt int16, task engine.TaskID) string {
	return fmt.Sprintf("part-%d-%d-%d", n, attempt, task)
}
