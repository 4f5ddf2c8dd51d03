package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Doc collects the problems of one file.
type Doc struct {
	File     string
	Problems []Problem
	shift    int // lines before the YAML in the file
}

// Value is one place in a document.
type Value struct {
	doc  *Doc
	node *yaml.Node
	path string // sinks[0].output; "" is the whole document
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// Parse reads one YAML document. The YAML begins after shift lines of the file,
// which counts where it is embedded in another text. Ok is false when there is
// nothing that can be read.
func Parse(file string, data []byte, shift int) (doc *Doc, root Value, ok bool) {
	doc = &Doc{File: file, shift: shift}
	if len(data) > MaxFile {
		doc.Add(0, fmt.Sprintf("the file has %d bytes", len(data)), fmt.Sprintf("allowed: at most %d", MaxFile))
		return doc, root, false
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var n yaml.Node
	if err := dec.Decode(&n); err != nil {
		doc.addYAML(err)
		return doc, root, false
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		doc.Add(second.Line, "a second document", "allowed: one document a file")
		return doc, root, false
	}
	if n.Kind != yaml.DocumentNode || len(n.Content) != 1 {
		doc.Add(1, "the document is empty", "write its fields")
		return doc, root, false
	}
	return doc, Value{doc: doc, node: n.Content[0]}, true
}

func (d *Doc) addYAML(err error) {
	if errors.Is(err, io.EOF) {
		d.Add(1, "the document is empty", "write its fields")
		return
	}
	m := yamlLine.FindStringSubmatch(strings.SplitN(err.Error(), "\n", 2)[0])
	line, _ := strconv.Atoi(m[1])
	d.Add(line, "not valid YAML: "+m[2], "check the indentation, quotes and encoding (UTF-8) at this line")
}

// Add notes a problem at a line of the YAML.
func (d *Doc) Add(line int, what, do string) {
	if line > 0 {
		line += d.shift
	}
	d.Problems = append(d.Problems, Problem{File: d.File, Line: line, What: what, Do: do})
}

// Line is the value's line in the file.
func (v Value) Line() int {
	if v.node == nil {
		return 0
	}
	return v.node.Line + v.doc.shift
}

// File is the file the value stands in.
func (v Value) File() string { return v.doc.File }

// Path is the value's field, as messages name it.
func (v Value) Path() string {
	if v.path == "" {
		return "the document"
	}
	return "field " + v.path
}

// Bad notes a problem with this value.
func (v Value) Bad(what, do string) {
	v.doc.Add(v.node.Line, v.Path()+": "+what, do)
}

func (v Value) kind() string {
	switch v.node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	case yaml.ScalarNode:
		if v.node.Tag == "!!null" {
			return "nothing"
		}
	}
	return Quote(v.node.Value)
}

// Text is a scalar as it was written.
func (v Value) Text() string {
	if v.node.Kind != yaml.ScalarNode || v.node.Tag == "!!null" || v.node.Anchor != "" {
		v.Bad("found "+v.kind(), "allowed: one text or number")
		return ""
	}
	return v.node.Value
}

// TextLine is the line in the file on which the text itself begins: a block
// scalar begins below its key.
func (v Value) TextLine() int {
	if v.node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return v.Line() + 1
	}
	return v.Line()
}

// Int is a whole number between lo and hi, lo when it is none.
func (v Value) Int(lo, hi int) int {
	n, err := strconv.Atoi(v.scalar())
	if err != nil || n < lo || n > hi {
		v.Bad("found "+v.kind(), fmt.Sprintf("allowed: a whole number from %d to %d", lo, hi))
		return lo
	}
	return n
}

// Float is a number between lo and hi, lo when it is none.
func (v Value) Float(lo, hi float64) float64 {
	s := v.scalar()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.ContainsAny(s, "xXpPnN_") || f < lo || f > hi {
		v.Bad("found "+v.kind(), fmt.Sprintf("allowed: a number from %g to %g", lo, hi))
		return lo
	}
	return f
}

// Bool is true or false.
func (v Value) Bool() bool {
	switch v.scalar() {
	case "true":
		return true
	case "false":
	default:
		v.Bad("found "+v.kind(), "allowed: true, false")
	}
	return false
}

// OneOf is one of the allowed words; the first when it is none.
func (v Value) OneOf(words ...string) string {
	s := v.scalar()
	for _, w := range words {
		if w == s {
			return s
		}
	}
	v.Bad("found "+v.kind(), Allowed(s, words))
	return words[0]
}

func (v Value) scalar() string {
	if v.node.Kind != yaml.ScalarNode {
		return ""
	}
	return v.node.Value
}

// IsMap reports whether the value is a mapping.
func (v Value) IsMap() bool { return v.node.Kind == yaml.MappingNode }

// IsList reports whether the value is a list.
func (v Value) IsList() bool { return v.node.Kind == yaml.SequenceNode }

// List is the values of a list.
func (v Value) List() []Value {
	if v.node.Kind != yaml.SequenceNode {
		v.Bad("found "+v.kind(), "allowed: a list")
		return nil
	}
	out := make([]Value, len(v.node.Content))
	for i, n := range v.node.Content {
		out[i] = Value{doc: v.doc, node: n, path: fmt.Sprintf("%s[%d]", v.path, i)}
	}
	return out
}

// Texts is a list of texts, or one text as a list of one.
func (v Value) Texts() []string {
	if v.node.Kind == yaml.ScalarNode {
		return []string{v.Text()}
	}
	var out []string
	for _, e := range v.List() {
		out = append(out, e.Text())
	}
	return out
}

// Pair is one entry of a mapping whose keys are free.
type Pair struct {
	Key   string
	Value Value
}

// Pairs is the entries of a mapping in the order of the file. Keys that occur
// twice are a problem; the first counts.
func (v Value) Pairs() []Pair {
	if v.node.Kind != yaml.MappingNode {
		v.Bad("found "+v.kind(), "allowed: a mapping of keys to values")
		return nil
	}
	var out []Pair
	seen := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		k, val := v.node.Content[i], v.node.Content[i+1]
		path := k.Value
		if v.path != "" {
			path = v.path + "." + k.Value
		}
		if k.Kind != yaml.ScalarNode {
			v.doc.Add(k.Line, v.Path()+": a key that is not a word", "allowed: plain words as keys")
			continue
		}
		if first, dup := seen[k.Value]; dup {
			v.doc.Add(k.Line, fmt.Sprintf("field %s occurs twice", path), fmt.Sprintf("the first is at line %d; keep one", first+v.doc.shift))
			continue
		}
		seen[k.Value] = k.Line
		out = append(out, Pair{Key: k.Value, Value: Value{doc: v.doc, node: val, path: path}})
	}
	return out
}
