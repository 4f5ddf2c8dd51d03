package lessons

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/strict"
)

// inputFile is an input set of the content folder.
type inputFile struct {
	in    *engine.Input
	title string
	log   string
	file  string
}

var inputFields = []string{"name", "title", "log", "unit", "values", "partitions", "expect"}

// readInput reads an input set: a file of content/inputs, or the same written
// into a scenario.
func readInput(v strict.Value, name string) *inputFile {
	m := v.Map(inputFields...)
	f := &inputFile{title: m.Text("title"), log: m.Text("log"), file: v.File()}
	if own := m.Text("name"); own != "" {
		if name != "" && own != name {
			m.Bad("name "+strict.Quote(own), "the file's name says "+strict.Quote(name)+"; make them equal")
		}
		name = own
	}
	var words []string
	if m.OneOf("values", "numbers", "words") == "words" {
		words = []string{}
	}
	b := newInputBuilder(name, words)
	b.in.Unit = m.Text("unit")
	for p, part := range m.List("partitions") {
		for _, rec := range part.List() {
			text, when, timed := strings.Cut(rec.Text(), " @")
			key, value, ok := strings.Cut(text, " ")
			if !ok && b.in.Unit == "" && words == nil {
				value = "1" // a record without a value counts as one
			}
			err := b.add(p, key, strings.TrimSpace(value))
			if err == nil && timed {
				err = b.at(p, when)
			}
			if err != nil {
				rec.Bad(err.Error(), "a record is written KEY VALUE, like ana 12, or KEY VALUE @TIME, like ana 12 @40ms")
			}
		}
	}
	if err := b.allTimed(); err != nil {
		m.Bad(err.Error(), "add the times that are missing, like ana 12 @40ms")
	}
	if b.n == 0 {
		m.Bad("the input is empty", fmt.Sprintf("allowed: 1 to %d records in partitions", engine.MaxRecords))
	}
	f.in = &b.in
	if e, ok := m.Get("expect"); ok {
		checkExpect(e, f.in)
	}
	return f
}

// checkExpect compares the file's own summary with its records, which guards
// against a slip of the pen: {records: 16, sum: 275, keys: {ana: 5}}.
func checkExpect(v strict.Value, in *engine.Input) {
	m := v.Map("records", "sum", "keys")
	counts, sum := map[string]int{}, int64(0)
	for _, part := range in.Parts {
		for _, d := range part {
			counts[in.Keys[d.Key]]++
			sum += d.Value
		}
	}
	if w := m.Int("records", in.Len(), 1, engine.MaxRecords); w != in.Len() {
		m.Bad(fmt.Sprintf("expects %d records, the file has %d", w, in.Len()), "correct one of them")
	}
	if want := m.Text("sum"); want != "" && want != engine.FormatNumber(sum) {
		m.Bad(fmt.Sprintf("expects the sum %s, the values give %s", want, engine.FormatNumber(sum)), "correct one of them")
	}
	keys, ok := m.Get("keys")
	if !ok {
		return
	}
	for _, p := range keys.Pairs() {
		if want := p.Value.Int(0, engine.MaxRecords); want != counts[p.Key] {
			p.Value.Bad(fmt.Sprintf("expects %d records of %s, the file has %d", want, p.Key, counts[p.Key]), "correct one of them")
		}
		delete(counts, p.Key)
	}
	if len(counts) > 0 {
		keys.Bad("keys without a count: "+strings.Join(slices.Sorted(maps.Keys(counts)), ", "), "add them")
	}
}
