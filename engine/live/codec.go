package live

import (
	"encoding/binary"
	"errors"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// The files of a checkpoint are frames: eight bytes of magic and version, the length
// of what follows, the payload in variable-length integers, and the CRC-32C of all
// bytes before it. A field that is added to a snapshot makes a new version.

var errPayload = errors.New("the payload does not say what its kind of file must say")

// encoder appends fields.
type encoder struct{ b []byte }

func (w *encoder) int(v int64) { w.b = binary.AppendVarint(w.b, v) }
func (w *encoder) bytes(v []byte) {
	w.int(int64(len(v)))
	w.b = append(w.b, v...)
}

func (w *encoder) bool(v bool) {
	n := byte(0)
	if v {
		n = 1
	}
	w.b = append(w.b, n)
}

// decoder takes them off again. After an error it yields zeros.
type decoder struct {
	b   []byte
	err error
}

func (r *decoder) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.err, r.b = errPayload, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// len is a length that the bytes left can hold.
func (r *decoder) len() int {
	n := r.int()
	if n < 0 || n > int64(len(r.b)) {
		r.err, r.b = errPayload, nil
		return 0
	}
	return int(n)
}

func (r *decoder) bytes() []byte {
	n := r.len()
	v := append([]byte(nil), r.b[:n]...)
	r.b = r.b[n:]
	return v
}

func (r *decoder) bool() bool {
	if len(r.b) == 0 {
		r.err = errPayload
		return false
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v != 0
}

// end is the error so far, or that something is left over.
func (r *decoder) end() error {
	if r.err == nil && len(r.b) > 0 {
		r.err = errPayload
	}
	return r.err
}

// list writes a slice; nil and empty stay apart, as machines tell them apart.
func list[T any](w *encoder, v []T, each func(*T)) {
	if w.bool(v != nil); v == nil {
		return
	}
	w.int(int64(len(v)))
	for i := range v {
		each(&v[i])
	}
}

func unlist[T any](r *decoder, each func(*T)) []T {
	if !r.bool() {
		return nil
	}
	v := make([]T, r.len())
	for i := range v {
		each(&v[i])
	}
	return v
}

func (w *encoder) record(r *engine.Record) {
	for _, v := range [...]int64{int64(r.ID.Part), int64(r.ID.Off), int64(r.Attempt), int64(r.Key), r.Value, r.Total} {
		w.int(v)
	}
}

func (r *decoder) record(v *engine.Record) {
	v.ID.Part, v.ID.Off = int16(r.int()), int32(r.int())
	v.Attempt, v.Key, v.Value, v.Total = int16(r.int()), engine.KeyID(r.int()), r.int(), r.int()
}

func (w *encoder) txn(x *engine.Txn) {
	w.int(int64(x.Task))
	w.int(int64(x.No))
	w.int(int64(x.Attempt))
}

func (r *decoder) txn(x *engine.Txn) {
	x.Task, x.No, x.Attempt = engine.TaskID(r.int()), int16(r.int()), int16(r.int())
}

// part writes all of a part.
func (w *encoder) part(p *Part) {
	s := &p.Snapshot
	w.int(int64(s.Offset))
	if w.bool(s.Counts != nil); s.Counts != nil {
		w.int(int64(s.Counts.Keys()))
		for k := range engine.KeyID(s.Counts.Keys()) {
			w.int(s.Counts.At(k))
		}
	}
	list(w, s.Txns, w.txn)
	if w.bool(s.Op != nil); s.Op != nil {
		w.opState(s.Op)
	}
	list(w, s.InFlight, func(f *world.InFlight) {
		w.int(int64(f.Lane))
		w.record(&f.Record)
	})
	w.bool(s.Increment)
	w.int(int64(s.Number))
	w.int(int64(s.Base))
	list(w, s.Changed, func(c *world.KeyCount) {
		w.int(int64(c.Key))
		w.int(c.Count)
	})
	w.int(int64(s.Links))
	w.int(s.Fetched)
	list(w, p.Promises, func(x *Promise) {
		w.txn(&x.Txn)
		w.bytes(x.Handle)
	})
}

func (r *decoder) part(p *Part) {
	s := &p.Snapshot
	s.Offset = int32(r.int())
	if r.bool() {
		s.Counts = world.NewCounts(r.len())
		for k := range engine.KeyID(s.Counts.Keys()) {
			s.Counts.Set(k, r.int())
		}
	}
	s.Txns = unlist(r, r.txn)
	if r.bool() {
		s.Op = r.opState()
	}
	s.InFlight = unlist(r, func(f *world.InFlight) {
		f.Lane = int(r.int())
		r.record(&f.Record)
	})
	s.Increment, s.Number, s.Base = r.bool(), int32(r.int()), int32(r.int())
	s.Changed = unlist(r, func(c *world.KeyCount) { c.Key, c.Count = engine.KeyID(r.int()), r.int() })
	s.Links, s.Fetched = int32(r.int()), r.int()
	p.Promises = unlist(r, func(x *Promise) {
		r.txn(&x.Txn)
		x.Handle = r.bytes()
	})
}

func (w *encoder) opState(s *world.OpState) {
	times := func(v *engine.Time) { w.int(int64(*v)) }
	list(w, s.Lanes, times)
	w.int(int64(s.Mark))
	w.int(int64(s.Most))
	list(w, s.Panes, func(p *world.Pane) {
		w.int(int64(p.Key))
		w.int(int64(p.End))
		w.int(p.Count)
		w.int(p.Fired)
	})
	list(w, s.Table, func(v *int64) { w.int(*v) })
	list(w, s.Versions, func(v *world.Version) {
		w.int(int64(v.Key))
		w.int(int64(v.Since))
		w.int(v.Value)
	})
	list(w, s.Waiting, w.record)
	list(w, s.Seen, times)
}

func (r *decoder) opState() *world.OpState {
	times := func(v *engine.Time) { *v = engine.Time(r.int()) }
	s := &world.OpState{Lanes: unlist(r, times), Mark: engine.Time(r.int()), Most: engine.Time(r.int())}
	s.Panes = unlist(r, func(p *world.Pane) {
		p.Key, p.End, p.Count, p.Fired = engine.KeyID(r.int()), engine.Time(r.int()), r.int(), r.int()
	})
	s.Table = unlist(r, func(v *int64) { *v = r.int() })
	s.Versions = unlist(r, func(v *world.Version) { v.Key, v.Since, v.Value = engine.KeyID(r.int()), engine.Time(r.int()), r.int() })
	s.Waiting = unlist(r, r.record)
	s.Seen = unlist(r, times)
	return s
}

func (w *encoder) manifest(m *Manifest) {
	w.int(int64(m.Ckpt))
	w.int(int64(m.Attempt))
	w.bytes([]byte(m.Job))
	list(w, m.Parts, func(p *PartRef) {
		for _, v := range [...]int64{int64(p.Ckpt), int64(p.Attempt), int64(p.Task), p.Length, int64(p.Sum)} {
			w.int(v)
		}
	})
}

func (r *decoder) manifest(m *Manifest) {
	m.Ckpt, m.Attempt, m.Job = int32(r.int()), int16(r.int()), string(r.bytes())
	m.Parts = unlist(r, func(p *PartRef) {
		p.Ckpt, p.Attempt, p.Task = int32(r.int()), int16(r.int()), engine.TaskID(r.int())
		p.Length, p.Sum = r.int(), uint32(r.int())
	})
}
