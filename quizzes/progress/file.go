package progress

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// MaxFile is the size of the largest file that is read, in bytes.
const MaxFile = 4 << 20

const (
	fileKind    = "effectively-once progress"
	fileVersion = 1
)

// file is a history outside the store. The sum is of the history as it stands in
// the file, without white space, so that damage is found wherever it is.
type file struct {
	Kind    string          `json:"kind"`
	Version int             `json:"version"`
	Written time.Time       `json:"written"`
	Sum     string          `json:"sha256"`
	History json.RawMessage `json:"history"`
}

// Write exports a history. The file says nothing about who learned.
func Write(h History, now time.Time) ([]byte, error) {
	h = whole(h)
	body, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("write progress: %w", err)
	}
	out, err := json.MarshalIndent(file{Kind: fileKind, Version: fileVersion, Written: now.UTC().Truncate(time.Second), Sum: sum(body), History: body}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write progress: %w", err)
	}
	return append(out, '\n'), nil
}

// whole writes empty lists as lists.
func whole(h History) History {
	if h.Seen == nil {
		h.Seen = []Seen{}
	}
	if h.Bets == nil {
		h.Bets = []Bet{}
	}
	if h.Answers == nil {
		h.Answers = []Answer{}
	}
	if h.Levels == nil {
		h.Levels = []Level{}
	}
	return h
}

func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:])
}

// Read imports a file that Write wrote. It takes all of it or nothing; the error
// says what is wrong and where.
func Read(data []byte) (History, error) {
	var f file
	var h History
	if len(data) > MaxFile {
		return h, fmt.Errorf("the file has more than %d MiB; no export is that large", MaxFile>>20)
	}
	if err := strictly(data, &f); err != nil {
		return h, fmt.Errorf("the file is damaged, or is no export of progress: %w", err)
	}
	switch {
	case f.Kind != fileKind:
		return h, fmt.Errorf("kind: found %q; allowed: %q", clip(f.Kind), fileKind)
	case f.Version != fileVersion:
		return h, fmt.Errorf("version: found %d; allowed: %d. A newer program wrote this file, or it is damaged", f.Version, fileVersion)
	}
	var body bytes.Buffer
	if err := json.Compact(&body, f.History); err != nil {
		return h, fmt.Errorf("history: %w", err)
	}
	if got := sum(body.Bytes()); got != f.Sum {
		return h, fmt.Errorf("the file was changed after it was written, or is damaged: sha256 says %q, the history has %s", clip(f.Sum), got)
	}
	if err := strictly(body.Bytes(), &h); err != nil {
		return History{}, fmt.Errorf("history: %w", err)
	}
	if err := h.Check(); err != nil {
		return History{}, fmt.Errorf("history: %w", err)
	}
	h.Imported = true
	return h, nil
}

// strictly reads one JSON value and nothing after it, without unknown fields.
func strictly(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it ends in the middle, after %d bytes", len(data))
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	case err != nil:
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("byte %d: something follows the end", dec.InputOffset())
	}
	return nil
}
