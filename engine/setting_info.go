package engine

import (
	"slices"
	"strings"
)

// SettingInfo describes one setting to a page that offers them all, so that a new
// row of the table appears there without another line.
type SettingInfo struct {
	Key     string
	Allowed string   // in words
	Words   []string // the values, where it has a fixed list of them; nil: Allowed describes them
	PerSink bool     // each sink has its own, under sinks.NAME.KEY
	Shape   bool     // it says which parts the job has and what they cost, not how it behaves
	Alias   bool     // another key sets the same
}

// SettingInfos lists the whole table in the order in which pages show it.
func SettingInfos() []SettingInfo {
	var out []SettingInfo
	for _, d := range allSetters() {
		out = append(out, SettingInfo{Key: d.key, Allowed: d.allowed, Words: fixedWords(d.allowed), PerSink: d.perSink, Shape: isShape(d.key),
			Alias: d.key == "parallelism" || d.key == "isolation.level"})
	}
	return out
}

// fixedWords are the values of a setting whose description is nothing but them.
func fixedWords(allowed string) []string {
	words := strings.Split(allowed, ", ")
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " :") {
			return nil
		}
	}
	return words
}

// Value is what a setting has now, as Set reads it; "" for an unknown key. The sink
// is nil for a setting of the whole job.
func (s *Settings) Value(key string, k *SinkSettings) string {
	d := findSetter(key)
	if d == nil || d.perSink && k == nil {
		return ""
	}
	return d.get(s, k)
}

func isShape(key string) bool {
	return slices.ContainsFunc(shapeSetters, func(d setter) bool { return d.key == key })
}
