package live_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/world"
)

func openDir(t *testing.T, path string, older int32) *live.Dir {
	t.Helper()
	d, err := live.OpenDir(path, older)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// samplePart has something in every field.
func samplePart() live.Part {
	r := engine.Record{ID: engine.RecordID{Part: 1, Off: 77}, Attempt: 2, Key: 3, Value: -4000, Total: 9}
	x := engine.Txn{Task: 4, No: 12, Attempt: 3}
	return live.Part{Snapshot: world.Snapshot{Offset: 41, Counts: world.CountsOf([]int64{0, 5, 1 << 40}), Txns: []engine.Txn{x},
		Op: &world.OpState{Lanes: []engine.Time{1, engine.EndOfTime}, Mark: 5, Most: 6, Panes: []world.Pane{{Key: 1, End: 2, Count: 3, Fired: 4}},
			Table: []int64{7}, Versions: []world.Version{{Key: 1, Since: 2, Value: 3}}, Waiting: []engine.Record{r}, Seen: []engine.Time{-1, 8}},
		InFlight: []world.InFlight{{Lane: 1, Record: r}}, Increment: true, Number: 12, Base: 11,
		Changed: []world.KeyCount{{Key: 2, Count: 3}}, Links: 2, Fetched: 10},
		Promises: []live.Promise{{Txn: x, Handle: []byte("producer 7, epoch 3")}}}
}

// complete fails for a field that the sample leaves at zero: the codec's test would
// not see it.
func complete(t *testing.T, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			complete(t, v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Pointer:
		if _, counts := v.Interface().(*world.Counts); !counts {
			complete(t, v.Elem(), path)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			t.Errorf("%s is empty in the sample", path)
		} else if v.Type().Elem().Kind() == reflect.Struct {
			complete(t, v.Index(0), path+"[0]")
		}
	default:
		if v.IsZero() {
			t.Errorf("%s is zero in the sample", path)
		}
	}
}

func TestPartsComeBackAsTheyWere(t *testing.T) {
	complete(t, reflect.ValueOf(samplePart()), "part")
	d := openDir(t, t.TempDir(), 0)
	for _, p := range []live.Part{samplePart(), {}, {Snapshot: world.Snapshot{Counts: world.CountsOf([]int64{})}}} {
		ref, err := d.Put(3, 1, 2, &p)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.Load(ref); err != nil || !reflect.DeepEqual(got, p) {
			t.Fatalf("got %+v, %v; put %+v", got, err, p)
		}
	}
}

// sealed makes a folder with checkpoints 1 to n of two parts each.
func sealed(t *testing.T, path string, n int32) {
	t.Helper()
	d := openDir(t, path, 0)
	if _, err := d.Newest(); err != nil {
		t.Fatal(err)
	}
	attempt, next, err := d.Life()
	if err != nil || next != 1 {
		t.Fatalf("next %d, %v", next, err)
	}
	for i := next; i <= n; i++ {
		m := live.Manifest{Ckpt: i, Attempt: attempt, Job: "job"}
		for task := range engine.TaskID(2) {
			p := samplePart()
			p.Snapshot.Offset = 100*i + int32(task)
			ref, err := d.Put(i, attempt, task, &p)
			if err != nil {
				t.Fatal(err)
			}
			m.Parts = append(m.Parts, ref)
		}
		if err := d.Seal(m); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamageIsRefusedWithAReason(t *testing.T) {
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	for _, c := range []struct {
		name, file string
		damage     func([]byte) []byte // nil: the file is removed
		found      string
	}{
		{"missing part", "part-3-1-1", nil, "it is not there"},
		{"empty part", "part-3-1-1", func(b []byte) []byte { return nil }, "it has 0 bytes, too few to be one"},
		{"torn part", "part-3-1-1", func(b []byte) []byte { return b[:len(b)-1] }, " of "},
		{"part with something behind", "part-3-1-1", func(b []byte) []byte { return append(b, 0) }, " of "},
		{"a bit of a part", "part-3-1-0", flip, "its checksum is "},
		{"part of another kind", "part-3-1-0", func(b []byte) []byte { b[0] = 'P'; return b }, "it begins with "},
		{"part of a later version", "part-3-1-0", func(b []byte) []byte { b[7] = 2; return b }, "it is of version 2, this program reads version 1"},
		{"missing manifest", "checkpoint-3", nil, "it is not there"},
		{"torn manifest", "checkpoint-3", func(b []byte) []byte { return b[:20] }, "bytes"},
		{"a bit of the manifest", "checkpoint-3", flip, "its checksum is "},
		{"manifest of a later version", "checkpoint-3", func(b []byte) []byte { b[7] = 9; return b }, "version 9"},
		{"missing seal", "newest", nil, "it is not there"},
		{"torn seal", "newest", func(b []byte) []byte { return b[:5] }, "it has 5 bytes"},
		{"a bit of the seal", "newest", func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, "its checksum is "},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := t.TempDir()
			sealed(t, path, 3)
			hurt(t, filepath.Join(path, c.file), c.damage)
			_, err := openDir(t, path, 0).Newest()
			d := (*live.Damaged)(nil)
			if !errors.As(err, &d) || d.File != c.file || !strings.Contains(d.Found, c.found) || d.Older < 2 {
				t.Fatalf("got %v", err)
			}
			if m, err := openDir(t, path, d.Older).Newest(); err != nil || m.Ckpt != d.Older {
				t.Fatalf("the older one that was chosen: %d, %v", m.Ckpt, err)
			}
			if _, err := openDir(t, path, 1).Newest(); err == nil {
				t.Fatal("a checkpoint that is not kept could be chosen")
			}
		})
	}
}

func hurt(t *testing.T, file string, damage func([]byte) []byte) {
	t.Helper()
	if damage == nil {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, damage(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every file of the newest checkpoint, cut off after each of its bytes, is refused.
func TestEveryTornFileIsRefused(t *testing.T) {
	path := t.TempDir()
	sealed(t, path, 2)
	for _, name := range []string{"part-2-1-0", "part-2-1-1", "checkpoint-2", "newest"} {
		file := filepath.Join(path, name)
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			if err := os.WriteFile(file, whole[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			d := (*live.Damaged)(nil)
			if m, err := openDir(t, path, 0).Newest(); !errors.As(err, &d) || d.File != name {
				t.Fatalf("%s with %d of %d bytes: checkpoint %d, %v", name, n, len(whole), m.Ckpt, err)
			}
		}
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := openDir(t, path, 0).Newest(); err != nil || m.Ckpt != 2 || m.Parts[1].Ckpt != 2 {
		t.Fatalf("whole again: %+v, %v", m, err)
	}
}

func TestTwoCheckpointsAreKeptAndNumbersGrow(t *testing.T) {
	path := t.TempDir()
	sealed(t, path, 5)
	files, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	want := "checkpoint-4 checkpoint-5 life newest part-4-1-0 part-4-1-1 part-5-1-0 part-5-1-1"
	if got := strings.Join(files, " "); got != want {
		t.Fatalf("kept: %s", got)
	}
	d := openDir(t, path, 0)
	p := samplePart()
	if _, err := d.Put(6, 1, 0, &p); err != nil { // its checkpoint dies with the coordinator
		t.Fatal(err)
	}
	if m, err := d.Newest(); err != nil || m.Ckpt != 5 {
		t.Fatalf("%d, %v", m.Ckpt, err)
	}
	if attempt, next, err := openDir(t, path, 0).Life(); attempt != 2 || next != 7 || err != nil {
		t.Fatalf("attempt %d, next %d, %v", attempt, next, err)
	}
	if _, err := os.Stat(filepath.Join(path, "part-6-1-0")); !os.IsNotExist(err) {
		t.Fatal("what belongs to no checkpoint was not cleared away")
	}
	if err := d.Seal(live.Manifest{Ckpt: 6, Attempt: 1}); err == nil || !strings.Contains(err.Error(), "replaced by a newer one") {
		t.Fatalf("a leader that was replaced could seal: %v", err)
	}
}

// A crash between the two files of a seal leaves the checkpoint before it.
func TestAManifestThatIsNotNamedIsNoCheckpoint(t *testing.T) {
	for n := range int32(3) {
		path := t.TempDir()
		sealed(t, path, n)
		keep, err := os.ReadFile(filepath.Join(path, "newest"))
		if err != nil {
			t.Fatal(err)
		}
		d := openDir(t, path, 0)
		if err := d.Seal(live.Manifest{Ckpt: n + 1, Attempt: 1}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "newest"), keep, 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := openDir(t, path, 0).Newest(); err != nil || m.Ckpt != n {
			t.Fatalf("%d: restored from %d, %v", n, m.Ckpt, err)
		}
	}
}

func TestAFullDiskIsSaidAndLeavesNothing(t *testing.T) {
	path := t.TempDir()
	sealed(t, path, 1)
	quota := filepath.Join(path, "quota")
	if err := os.WriteFile(quota, []byte("10\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := openDir(t, path, 0)
	p := samplePart()
	if _, err := d.Put(2, 1, 0, &p); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "storing part-2-1-0") {
		t.Fatalf("got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(path, "*2-1-0*")); left != nil {
		t.Fatalf("left behind: %v", left)
	}
	if err := os.Remove(quota); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Put(2, 1, 0, &p); err != nil {
		t.Fatal(err)
	}
}
