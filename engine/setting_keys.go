package engine

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// setter reads one value into the settings, or says what would be allowed.
type setter struct {
	key     string
	allowed string
	get     func(s *Settings, k *SinkSettings) string
	set     func(s *Settings, k *SinkSettings, v string) bool
	perSink bool
}

// BadSetting is a setting that was not understood.
type BadSetting struct {
	Key, Found, Allowed, Nearest string
	UnknownKey                   bool
}

// Error names the place, what was found, what is allowed and the nearest right word.
func (e *BadSetting) Error() string {
	var b strings.Builder
	if e.UnknownKey {
		fmt.Fprintf(&b, "unknown setting %q; allowed: %s", e.Key, e.Allowed)
	} else {
		fmt.Fprintf(&b, "setting %s: found %q; allowed: %s", e.Key, e.Found, e.Allowed)
	}
	if e.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", e.Nearest)
	}
	return b.String()
}

// Set changes one setting by its key. Keys of sinks may be written with or
// without sinks.NAME. in front; without, they change every sink.
func (s *Settings) Set(key, value string) error {
	name, field, scoped := cutSink(key)
	def := findSetter(field)
	if def == nil || scoped && !def.perSink {
		return &BadSetting{Key: key, UnknownKey: true, Allowed: strings.Join(SettingKeys(), ", "), Nearest: Nearest(field, SettingKeys())}
	}
	if !def.perSink {
		if !def.set(s, nil, value) {
			return &BadSetting{Key: key, Found: value, Allowed: def.allowed, Nearest: Nearest(value, strings.Split(def.allowed, ", "))}
		}
		return nil
	}
	found := false
	for i := range s.Sinks {
		if scoped && s.Sinks[i].Name != name {
			continue
		}
		found = true
		if !def.set(s, &s.Sinks[i], value) {
			return &BadSetting{Key: key, Found: value, Allowed: def.allowed, Nearest: Nearest(value, strings.Split(def.allowed, ", "))}
		}
	}
	if !found {
		return &BadSetting{Key: key, UnknownKey: true, Allowed: "sinks of this job: " + strings.Join(s.sinkNames(), ", "), Nearest: Nearest(name, s.sinkNames())}
	}
	return nil
}

func cutSink(key string) (name, field string, scoped bool) {
	rest, ok := strings.CutPrefix(key, "sinks.")
	if !ok {
		return "", key, false
	}
	name, field, ok = strings.Cut(rest, ".")
	if !ok {
		return "", key, false
	}
	return name, field, true
}

func (s *Settings) sinkNames() []string {
	var out []string
	for i := range s.Sinks {
		out = append(out, s.Sinks[i].Name)
	}
	return out
}

// SettingKeys lists all keys that Set knows, in the order in which pages show them.
func SettingKeys() []string {
	var out []string
	for _, d := range allSetters() {
		out = append(out, d.key)
	}
	return out
}

// allSetters is the whole table: settings of every job, then those that only some
// strategies or sinks read.
func allSetters() iter.Seq2[int, *setter] {
	return func(yield func(int, *setter) bool) {
		n := 0
		for _, part := range [][]setter{setters, strategySetters, shapeSetters, flawSetters, operatorSetters} {
			for i := range part {
				if !yield(n, &part[i]) {
					return
				}
				n++
			}
		}
		for i := range stateSetters {
			if !yield(n+i, &stateSetters[i]) {
				return
			}
		}
	}
}

func findSetter(key string) *setter {
	for _, d := range allSetters() {
		if d.key == key {
			return d
		}
	}
	return nil
}

// Values lists every effective setting by key: what a run's JSON prints.
func (s *Settings) Values() map[string]string {
	out := map[string]string{}
	for _, d := range allSetters() {
		switch {
		case !d.perSink:
			out[d.key] = d.get(s, nil)
		case len(s.Sinks) == 1:
			out[d.key] = d.get(s, &s.Sinks[0])
		default:
			for j := range s.Sinks {
				out["sinks."+s.Sinks[j].Name+"."+d.key] = d.get(s, &s.Sinks[j])
			}
		}
	}
	return out
}

// ParseDuration reads 300ms, 1.5s, 2h (and us) into virtual time, up to MaxVirtualTime.
func ParseDuration(v string) (Time, error) {
	units := []struct {
		suffix string
		unit   Time
	}{{"ms", Millisecond}, {"us", Microsecond}, {"s", Second}, {"m", 60 * Second}, {"h", Hour}}
	for _, u := range units {
		num, ok := strings.CutSuffix(v, u.suffix)
		if !ok {
			continue
		}
		f, err := strconv.ParseFloat(num, 64)
		if err != nil || f < 0 || strings.ContainsAny(num, "eExXpPnN_+") {
			break
		}
		t := f * float64(u.unit)
		if t > float64(MaxVirtualTime) {
			return 0, fmt.Errorf("%s is longer than %s, the most a run can last", v, MaxVirtualTime)
		}
		return Time(t + 0.5), nil
	}
	return 0, errors.New("a duration like 300ms, 1.5s or 2m")
}

// Nearest is the candidate closest to word, "" if none is close.
func Nearest(word string, candidates []string) string {
	best, bestD := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestD {
			best, bestD = c, d
		}
	}
	return best
}

func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1 << 20
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			prev, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, prev+cost)
		}
	}
	return row[len(b)]
}

func oneOf(dst func(*Settings, *SinkSettings) *string, words ...string) func(*Settings, *SinkSettings, string) bool {
	return func(s *Settings, k *SinkSettings, v string) bool {
		if !slices.Contains(words, v) {
			return false
		}
		*dst(s, k) = v
		return true
	}
}
