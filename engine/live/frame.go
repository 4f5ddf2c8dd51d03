package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

// magic begins every file of a store; its last byte is the version.
const (
	magic       = "EOCKPT\x00"
	version     = 1
	frameHeader = len(magic) + 1 + 8
	frameExtra  = frameHeader + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame is the bytes of a file with this payload, and their checksum.
func frame(fill func(*encoder)) (file []byte, sum uint32) {
	w := encoder{b: make([]byte, frameHeader, 256)}
	copy(w.b, magic)
	w.b[len(magic)] = version
	fill(&w)
	binary.LittleEndian.PutUint64(w.b[len(magic)+1:], uint64(len(w.b)-frameHeader))
	sum = crc32.Checksum(w.b, castagnoli)
	return binary.LittleEndian.AppendUint32(w.b, sum), sum
}

// unframe is the payload of a file, or what is wrong with the file.
func unframe(b []byte) (payload []byte, sum uint32, wrong string) {
	if len(b) < frameExtra {
		return nil, 0, fmt.Sprintf("it has %d bytes, too few to be one", len(b))
	}
	if string(b[:len(magic)]) != magic {
		return nil, 0, fmt.Sprintf("it begins with %q and not with %q", b[:len(magic)], magic)
	}
	if v := b[len(magic)]; v != version {
		return nil, 0, fmt.Sprintf("it is of version %d, this program reads version %d", v, version)
	}
	want := binary.LittleEndian.Uint64(b[len(magic)+1:])
	if have := uint64(len(b) - frameExtra); have != want {
		return nil, 0, fmt.Sprintf("it has %d of %d bytes", len(b), want+uint64(frameExtra))
	}
	body := b[:len(b)-4]
	sum = crc32.Checksum(body, castagnoli)
	if kept := binary.LittleEndian.Uint32(b[len(b)-4:]); sum != kept {
		return nil, 0, fmt.Sprintf("its checksum is %08x, written was %08x", sum, kept)
	}
	return body[frameHeader:], sum, ""
}

// write makes a file durable under its name, whole or not at all: a temporary file is
// written, fsynced and renamed, then the folder is fsynced. It leaves nothing behind
// when it fails before the rename.
func (d *Dir) write(name string, b []byte) error {
	if err := d.room(int64(len(b))); err != nil {
		return fmt.Errorf("storing %s: %w", name, err)
	}
	tmp := filepath.Join(d.path, name+temporary)
	err := func() error {
		f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		if err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	}()
	if err == nil {
		err = os.Rename(tmp, filepath.Join(d.path, name))
	}
	if err != nil {
		_ = os.Remove(tmp) // what matters is why it could not be written
		return fmt.Errorf("storing %s: %w", name, err)
	}
	if err := d.sync(); err != nil {
		return fmt.Errorf("storing %s: %w", name, err)
	}
	return nil
}

func (d *Dir) sync() error {
	f, err := os.Open(d.path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// read is the payload of a file; what is wrong with it is a *Damaged.
func (d *Dir) read(name string) (payload []byte, sum uint32, size int64, err error) {
	b, err := os.ReadFile(filepath.Join(d.path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, 0, &Damaged{File: name, Found: "it is not there"}
	}
	if err != nil {
		return nil, 0, 0, &Damaged{File: name, Found: "it cannot be read: " + err.Error()}
	}
	payload, sum, wrong := unframe(b)
	if wrong != "" {
		return nil, 0, 0, &Damaged{File: name, Found: wrong}
	}
	return payload, sum, int64(len(b)), nil
}
