package lessons

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/strict"
)

// MaxOwnBytes is how large a user's records may be.
const MaxOwnBytes = 64 << 10

// BadInput is a place in a user's records that cannot be read.
type BadInput struct {
	Name string // of the file, or what the page calls it
	Line int    // 0: the whole
	What string // what was found and what is allowed
}

// Error is name:line: what.
func (e *BadInput) Error() string {
	if e.Line == 0 {
		return e.Name + ": " + e.What
	}
	return e.Name + ":" + strconv.Itoa(e.Line) + ": " + e.What
}

func quoted(s string) string { return strict.Quote(s) }

// ParseInput reads a user's own records: NDJSON with an object like
// {"partition":0,"key":"ana","value":12} a line, or CSV with the header
// partition,key,value. A fourth field time, like "40ms", says when the record
// happened, in all records or in none. Offsets follow the order in each partition. Values are
// numbers, or words where words is not nil (the scenario's own input has words).
// Errors are *BadInput.
func ParseInput(name string, r io.Reader, words []string) (*engine.Input, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxOwnBytes+1))
	if err != nil {
		return nil, &BadInput{Name: name, What: err.Error()}
	}
	if len(data) > MaxOwnBytes {
		return nil, &BadInput{Name: name, What: fmt.Sprintf("more than %d KiB; allowed: at most %d KiB", MaxOwnBytes>>10, MaxOwnBytes>>10)}
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if i := firstInvalid(data); i >= 0 {
		return nil, &BadInput{Name: name, Line: 1 + bytes.Count(data[:i], []byte("\n")),
			What: fmt.Sprintf("found byte 0x%02x, which is not UTF-8; allowed: text in UTF-8", data[i])}
	}
	b := newInputBuilder(name, words)
	if text := bytes.TrimSpace(data); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		err = readNDJSON(name, data, b)
	} else {
		err = readCSV(name, data, b)
	}
	if err != nil {
		return nil, err
	}
	if err := b.allTimed(); err != nil {
		return nil, &BadInput{Name: name, What: err.Error()}
	}
	if b.n == 0 {
		return nil, &BadInput{Name: name, What: fmt.Sprintf("the input is empty; allowed: 1 to %d records", engine.MaxRecords)}
	}
	return &b.in, nil
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// ownFields must be there; a time may be.
var ownFields = []string{"partition", "key", "value"}

var allFields = append(slices.Clone(ownFields), "time")

const csvHeader = "partition,key,value"

func readCSV(name string, data []byte, b *inputBuilder) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	fields := len(ownFields)
	for first := true; ; first = false {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return &BadInput{Name: name, Line: bad.Line, What: fmt.Sprintf("column %d: %s; allowed: fields separated by commas, quoted where they hold a comma or a quote", bad.Column, bad.Err)}
		}
		if err != nil {
			return &BadInput{Name: name, What: err.Error()}
		}
		line, _ := r.FieldPos(0)
		if first {
			got := strings.Join(row, ",")
			if got == csvHeader+",time" {
				fields = len(allFields)
			} else if got != csvHeader {
				return &BadInput{Name: name, Line: line, What: "found the header " + quoted(got) + "; allowed: " + csvHeader + ", or one JSON object a line"}
			}
			continue
		}
		if len(row) != fields {
			return &BadInput{Name: name, Line: line, What: fmt.Sprintf("found %d fields; allowed: %s", len(row), [...]string{"three, " + csvHeader, "four, " + csvHeader + ",time"}[fields-len(ownFields)])}
		}
		part, err := partition(row[0])
		if err == nil {
			err = b.add(part, row[1], row[2])
		}
		if err == nil && fields > len(ownFields) {
			err = b.at(part, row[3])
		}
		if err != nil {
			return &BadInput{Name: name, Line: line, What: err.Error()}
		}
	}
}

func partition(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, &fieldError{"partition", quoted(s), fmt.Sprintf("a whole number from 0 to %d", engine.MaxPartitions-1)}
	}
	return n, nil
}

func readNDJSON(name string, data []byte, b *inputBuilder) error {
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		got, err := readObject(line)
		if err == nil {
			err = addObject(got, b)
		}
		if err != nil {
			return &BadInput{Name: name, Line: i + 1, What: err.Error()}
		}
	}
	return nil
}

// readObject reads one flat JSON object with our fields, each once. Values stay
// as they were written, so that numbers are read exactly.
func readObject(line string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(line))
	tok, err := dec.Token()
	if err != nil || tok != json.Delim('{') {
		return nil, fmt.Errorf("found %s; allowed: one object a line, like {\"partition\":0,\"key\":\"ana\",\"value\":12}", quoted(line))
	}
	got := map[string]json.RawMessage{}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not valid JSON: %w", err)
		}
		field, _ := k.(string)
		if !slices.Contains(allFields, field) {
			return nil, fmt.Errorf("unknown field %s; %s", quoted(field), strict.Allowed(field, allFields))
		}
		if _, twice := got[field]; twice {
			return nil, fmt.Errorf("field %s occurs twice; allowed: each field once", field)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("field %s: not valid JSON: %w", field, err)
		}
		got[field] = v
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("not valid JSON: the object is not closed")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("found more text after the object; allowed: one object a line")
	}
	return got, nil
}

func addObject(got map[string]json.RawMessage, b *inputBuilder) error {
	for _, f := range ownFields {
		if _, ok := got[f]; !ok {
			return fmt.Errorf("field %s is missing; allowed: an object with partition, key and value", f)
		}
	}
	part, err := partition(string(got["partition"]))
	if err != nil {
		return err
	}
	var key string
	if err := json.Unmarshal(got["key"], &key); err != nil || got["key"][0] != '"' {
		return &fieldError{"key", quoted(string(got["key"])), "a text of " + keyWords}
	}
	value := string(got["value"])
	if b.words != nil {
		if err := json.Unmarshal(got["value"], &value); err != nil || got["value"][0] != '"' {
			return &fieldError{"value", quoted(string(got["value"])), "a word in quotes; the values of this scenario are words"}
		}
	}
	if err := b.add(part, key, value); err != nil {
		return err
	}
	raw, timed := got["time"]
	if !timed {
		return nil
	}
	var when string
	if err := json.Unmarshal(raw, &when); err != nil {
		return &fieldError{"time", quoted(string(raw)), timeWords}
	}
	return b.at(part, when)
}
