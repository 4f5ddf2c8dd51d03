package strict

import "go.yaml.in/yaml/v3"

// Map is a mapping with a closed list of fields.
type Map struct {
	Value
	fields map[string]Value
}

// Map reads the value as a mapping with these fields and no others. An empty
// value reads as a mapping without fields.
func (v Value) Map(known ...string) Map {
	m := Map{Value: v, fields: map[string]Value{}}
	if v.node.Kind == yaml.ScalarNode && v.node.Tag == "!!null" {
		return m
	}
	for _, p := range v.Pairs() {
		if !contains(known, p.Key) {
			what := "unknown field " + Quote(p.Key)
			if v.path != "" {
				what += " in " + v.path
			}
			v.doc.Add(p.Value.node.Line, what, Allowed(p.Key, known))
			continue
		}
		m.fields[p.Key] = p.Value
	}
	return m
}

func contains(words []string, w string) bool {
	for _, k := range words {
		if k == w {
			return true
		}
	}
	return false
}

// Get is the value of a field, if the file has it.
func (m Map) Get(field string) (Value, bool) {
	v, ok := m.fields[field]
	return v, ok
}

// Need is the value of a field that must be there.
func (m Map) Need(field string) (Value, bool) {
	v, ok := m.fields[field]
	if !ok {
		m.Bad("field "+Quote(field)+" is missing", "add it")
	}
	return v, ok
}

// Text is a text field, "" when it is absent.
func (m Map) Text(field string) string {
	if v, ok := m.fields[field]; ok {
		return v.Text()
	}
	return ""
}

// NeedText is a text field that must be there and not empty.
func (m Map) NeedText(field string) string {
	v, ok := m.Need(field)
	if !ok {
		return ""
	}
	s := v.Text()
	if s == "" && v.node.Kind == yaml.ScalarNode && v.node.Tag != "!!null" {
		v.Bad("found an empty text", "write it")
	}
	return s
}

// Texts is a list field, nil when it is absent.
func (m Map) Texts(field string) []string {
	if v, ok := m.fields[field]; ok {
		return v.Texts()
	}
	return nil
}

// List is the values of a list field, nil when it is absent.
func (m Map) List(field string) []Value {
	if v, ok := m.fields[field]; ok {
		return v.List()
	}
	return nil
}

// Int is a whole number, def when it is absent.
func (m Map) Int(field string, def, lo, hi int) int {
	if v, ok := m.fields[field]; ok {
		return v.Int(lo, hi)
	}
	return def
}

// Float is a number, def when it is absent.
func (m Map) Float(field string, def, lo, hi float64) float64 {
	if v, ok := m.fields[field]; ok {
		return v.Float(lo, hi)
	}
	return def
}

// Bool is true or false, false when it is absent.
func (m Map) Bool(field string) bool {
	v, ok := m.fields[field]
	return ok && v.Bool()
}

// OneOf is one of the words; the first when it is absent.
func (m Map) OneOf(field string, words ...string) string {
	if v, ok := m.fields[field]; ok {
		return v.OneOf(words...)
	}
	return words[0]
}
