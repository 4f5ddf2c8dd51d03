package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxSinks bounds how many outside systems one job may write to.
const maxSinks = 8

// shapeSetters say which parts a job has: with them everything that a scenario
// file says about a job can be said in a link.
var shapeSetters = []setter{
	{key: "sinks", allowed: fmt.Sprintf("1 to %d different names, with commas between", maxSinks),
		get: func(s *Settings, _ *SinkSettings) string { return strings.Join(s.sinkNames(), ",") },
		set: func(s *Settings, _ *SinkSettings, v string) bool { return s.setSinks(v) }},
	parallel("count"), parallel("sink"), parallel("enrich"),
	{key: "routing", allowed: "hash, or OPERATOR:KEY:TASK with commas between, for example count:a:0,count:b:1",
		get: func(s *Settings, _ *SinkSettings) string { return s.routing() },
		set: func(s *Settings, _ *SinkSettings, v string) bool { return s.setRouting(v) }},
	cost("read", func(c *Costs) *Time { return &c.Read }), cost("hop", func(c *Costs) *Time { return &c.Hop }),
	cost("operator", func(c *Costs) *Time { return &c.Operator }), cost("write", func(c *Costs) *Time { return &c.Write }),
	cost("snapshot", func(c *Costs) *Time { return &c.Snapshot }), cost("ack", func(c *Costs) *Time { return &c.Ack }),
	cost("commit", func(c *Costs) *Time { return &c.Commit }),
}

// cost is the virtual time of one kind of work, before its variation of ±25 %.
func cost(name string, dst func(*Costs) *Time) setter {
	return duration("cost."+name, func(s *Settings, _ *SinkSettings) *Time { return dst(&s.Costs) }, 1)
}

// parallel is how many tasks one operator has.
func parallel(op string) setter {
	return setter{key: "parallelism." + op, allowed: "1, 2, 3, 4",
		get: func(s *Settings, _ *SinkSettings) string { return strconv.Itoa(max(1, s.parallelismOf(op))) },
		set: func(s *Settings, _ *SinkSettings, v string) bool {
			return !strings.Contains(v, ":") && s.setParallelism(op+":"+v)
		}}
}

// setSinks gives the job sinks of these names, in this order. One that is there
// already keeps its settings, a new one starts with the defaults.
func (s *Settings) setSinks(v string) bool {
	names := strings.Split(v, ",")
	if len(names) > maxSinks {
		return false
	}
	var out []SinkSettings
	for _, name := range names {
		if !IsName(name) || slices.ContainsFunc(out, func(k SinkSettings) bool { return k.Name == name }) {
			return false
		}
		k := BaseSink(name)
		if i := slices.Index(s.sinkNames(), name); i >= 0 {
			k = s.Sinks[i]
		}
		out = append(out, k)
	}
	s.Sinks = out
	return true
}

const byHash = "hash"

// routing prints which keys go to which task, in a fixed order.
func (s *Settings) routing() string {
	var out []string
	for _, op := range slices.Sorted(maps.Keys(s.Routing)) {
		for _, key := range slices.Sorted(maps.Keys(s.Routing[op])) {
			out = append(out, op+":"+key+":"+strconv.Itoa(s.Routing[op][key]))
		}
	}
	if len(out) == 0 {
		return byHash
	}
	return strings.Join(out, ",")
}

// setRouting reads routing. A key may hold colons, but no comma.
func (s *Settings) setRouting(v string) bool {
	out := map[string]map[string]int{}
	for _, part := range strings.Split(v, ",") {
		if v == byHash {
			break
		}
		op, rest, ok := strings.Cut(part, ":")
		i := strings.LastIndexByte(rest, ':')
		if !ok || i < 1 || !IsName(op) {
			return false
		}
		n, err := strconv.Atoi(rest[i+1:])
		if err != nil || n < 0 || n >= MaxParallelism {
			return false
		}
		if out[op] == nil {
			out[op] = map[string]int{}
		}
		out[op][rest[:i]] = n
	}
	s.Routing = out
	return true
}
