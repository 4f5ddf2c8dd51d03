package live

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"effectivelyonce/engine"
)

// temporary ends the names of files that are being written.
const temporary = ".tmp"

// newestName is the file whose renaming is the seal: it names the newest checkpoint.
const newestName = "newest"

// Dir is a Store in a folder that survives every process, and with it the machine's
// loss of power as far as fsync is honest. Several processes of one machine share it.
// It keeps two completed checkpoints; Older chooses the one before the newest, where
// the newest is damaged.
//
// A file named quota in the folder holds how many bytes its files may take together;
// beyond that every write fails as on a full disk (ENOSPC). It is there for trying
// exactly that.
type Dir struct {
	path  string
	older int32

	mu   sync.Mutex
	good int32 // the newest checkpoint known to be whole
}

// OpenDir makes or opens the folder. Older, when not 0, is the number of a completed
// checkpoint to go on from when the newest one is damaged; outputs since then are
// repeated, and transactional ones may be lost or doubled.
func OpenDir(path string, older int32) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("the checkpoint folder: %w", err)
	}
	return &Dir{path: path, older: older}, nil
}

// room refuses a write that the quota does not allow.
func (d *Dir) room(more int64) error {
	b, err := os.ReadFile(filepath.Join(d.path, "quota"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	quota, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil {
		return fmt.Errorf("the quota file holds %q; allowed: a number of bytes", b)
	}
	files, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			more += info.Size()
		}
	}
	if more > quota {
		return fmt.Errorf("%w (quota of %d bytes)", syscall.ENOSPC, quota)
	}
	return nil
}

// Life implements Store. It also clears away what earlier attempts have left.
func (d *Dir) Life() (attempt int16, next int32, err error) {
	b, _, _, err := d.read("life")
	names := d.names()
	var last, counter int64
	switch {
	case err == nil:
		r := decoder{b: b}
		last, counter = r.int(), r.int()
		if err := r.end(); err != nil {
			return 0, 0, &Damaged{File: "life", Found: err.Error()}
		}
	case len(names.sealed) > 0 || len(names.parts) > 0 || !missing(err):
		return 0, 0, err
	default: // the very first: a folder in which nothing is sealed says so
		if err := d.point(0, 0); err != nil {
			return 0, 0, err
		}
	}
	for _, n := range names.sealed {
		counter = max(counter, int64(n))
	}
	for _, p := range names.parts {
		counter = max(counter, int64(p.Ckpt))
	}
	if last == 32767 {
		return 0, 0, ErrLives
	}
	file, _ := frame(func(w *encoder) {
		w.int(last + 1)
		w.int(counter)
	})
	if err := d.write("life", file); err != nil {
		return 0, 0, err
	}
	d.sweep(&names)
	return int16(last + 1), int32(counter) + 1, nil
}

func missing(err error) bool {
	d := (*Damaged)(nil)
	return errors.As(err, &d) && d.Found == "it is not there"
}

// Put implements Store.
func (d *Dir) Put(n int32, attempt int16, task engine.TaskID, p *Part) (PartRef, error) {
	file, sum := frame(func(w *encoder) { w.part(p) })
	if err := d.write(partName(n, attempt, task), file); err != nil {
		return PartRef{}, err
	}
	return PartRef{Ckpt: n, Attempt: attempt, Task: task, Length: int64(len(file)), Sum: sum}, nil
}

// Load implements Store.
func (d *Dir) Load(ref PartRef) (Part, error) {
	name := partName(ref.Ckpt, ref.Attempt, ref.Task)
	b, sum, size, err := d.read(name)
	if err != nil {
		return Part{}, err
	}
	if size != ref.Length || sum != ref.Sum {
		return Part{}, &Damaged{File: name, Found: fmt.Sprintf("it has %d bytes with checksum %08x, the checkpoint names %d bytes with %08x", size, sum, ref.Length, ref.Sum)}
	}
	var p Part
	r := decoder{b: b}
	r.part(&p)
	if err := r.end(); err != nil {
		return Part{}, &Damaged{File: name, Found: err.Error()}
	}
	return p, nil
}

// Seal implements Store. A leader that has been replaced seals nothing.
func (d *Dir) Seal(m Manifest) error {
	b, _, _, err := d.read("life")
	if err != nil {
		return err
	}
	if r := (decoder{b: b}); r.int() != int64(m.Attempt) {
		return fmt.Errorf("sealing checkpoint %d: attempt %d was replaced by a newer one", m.Ckpt, m.Attempt)
	}
	file, sum := frame(func(w *encoder) { w.manifest(&m) })
	if err := d.write(manifestName(m.Ckpt), file); err != nil {
		return err
	}
	if err := d.point(m.Ckpt, sum); err != nil {
		return err
	}
	d.mu.Lock()
	previous := d.good
	d.good = m.Ckpt
	d.mu.Unlock()
	if previous == 0 { // nothing was restored or sealed through this one: it knows of nothing to keep
		return nil
	}
	names := d.names()
	for _, n := range names.sealed {
		if n != m.Ckpt && n != previous {
			_ = os.Remove(filepath.Join(d.path, manifestName(n))) // tried again with the next one
		}
	}
	for _, p := range names.parts {
		if p.Ckpt < m.Ckpt && p.Ckpt != previous {
			_ = os.Remove(filepath.Join(d.path, partName(p.Ckpt, p.Attempt, p.Task)))
		}
	}
	return nil
}

// Newest implements Store. It reads every part, so that damage is found before
// anything is started.
func (d *Dir) Newest() (Manifest, error) {
	names := d.names()
	m, upTo, err := d.pointed(&names)
	damage := (*Damaged)(nil)
	if !errors.As(err, &damage) {
		if err == nil {
			d.knownWhole(m.Ckpt)
		}
		return m, err
	}
	for i := len(names.sealed) - 1; i >= 0; i-- {
		n := names.sealed[i]
		if older, err := d.whole(n, nil); err == nil && n < upTo {
			if n == d.older {
				d.knownWhole(n)
				return older, nil
			}
			damage.Older = max(damage.Older, n)
		}
	}
	return Manifest{}, damage
}

// pointed is the checkpoint that the newest seal names, and its number. A manifest
// that was written and not yet named is no checkpoint.
func (d *Dir) pointed(names *listing) (m Manifest, n int32, err error) {
	b, _, _, err := d.read(newestName)
	if missing(err) && len(names.sealed) == 0 {
		return m, 0, nil
	}
	if err != nil {
		return m, math.MaxInt32, err
	}
	r := decoder{b: b}
	n, sum := int32(r.int()), uint32(r.int())
	if err := r.end(); err != nil {
		return m, math.MaxInt32, &Damaged{File: newestName, Found: err.Error()}
	}
	if n == 0 {
		return m, 0, nil
	}
	m, err = d.whole(n, &sum)
	return m, n, err
}

// point names a checkpoint as the newest; the renaming inside is the seal.
func (d *Dir) point(n int32, sum uint32) error {
	file, _ := frame(func(w *encoder) {
		w.int(int64(n))
		w.int(int64(sum))
	})
	return d.write(newestName, file)
}

func (d *Dir) knownWhole(n int32) {
	d.mu.Lock()
	d.good = n
	d.mu.Unlock()
}

// whole reads all of a checkpoint; want is the checksum its manifest must have, nil:
// any.
func (d *Dir) whole(n int32, want *uint32) (m Manifest, err error) {
	b, sum, _, err := d.read(manifestName(n))
	if err != nil {
		return m, err
	}
	if want != nil && sum != *want {
		return m, &Damaged{File: manifestName(n), Found: fmt.Sprintf("its checksum is %08x, sealed was %08x", sum, *want)}
	}
	r := decoder{b: b}
	r.manifest(&m)
	if err := r.end(); err != nil {
		return m, &Damaged{File: manifestName(n), Found: err.Error()}
	}
	if m.Ckpt != n {
		return m, &Damaged{File: manifestName(n), Found: fmt.Sprintf("it says that it is checkpoint %d", m.Ckpt)}
	}
	for _, ref := range m.Parts {
		if _, err := d.Load(ref); err != nil {
			return m, err
		}
	}
	return m, nil
}

// Discard implements Store.
func (d *Dir) Discard(n int32, attempt int16) {
	for _, p := range d.names().parts {
		if p.Ckpt == n && p.Attempt == attempt {
			_ = os.Remove(filepath.Join(d.path, partName(p.Ckpt, p.Attempt, p.Task)))
		}
	}
}

// listing is what the folder holds, by name.
type listing struct {
	sealed    []int32 // ascending
	parts     []PartRef
	temporary []string
}

func (d *Dir) names() (l listing) {
	files, err := os.ReadDir(d.path) // in order of names
	if err != nil {
		return l
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, temporary) {
			l.temporary = append(l.temporary, name)
			continue
		}
		var p PartRef
		if n, _ := fmt.Sscanf(name, "part-%d-%d-%d", &p.Ckpt, &p.Attempt, &p.Task); n == 3 {
			l.parts = append(l.parts, p)
			continue
		}
		var n int32
		if got, _ := fmt.Sscanf(name, "checkpoint-%d", &n); got == 1 {
			l.sealed = append(l.sealed, n)
		}
	}
	slices.Sort(l.sealed)
	return l
}

// sweep removes what belongs to no completed checkpoint. Nobody writes at this moment:
// all tasks have stopped.
func (d *Dir) sweep(l *listing) {
	kept := map[int32]bool{}
	for _, n := range l.sealed {
		kept[n] = true
	}
	for _, p := range l.parts {
		if !kept[p.Ckpt] {
			_ = os.Remove(filepath.Join(d.path, partName(p.Ckpt, p.Attempt, p.Task)))
		}
	}
	for _, name := range l.temporary {
		_ = os.Remove(filepath.Join(d.path, name))
	}
}
