package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// matrixInput is the input of the matrix; nil where the content has no such scenario.
func matrixInput(cat *lessons.Catalogue) *engine.Input {
	if sc := cat.Scenario(matrixScenario); sc != nil {
		return sc.Input
	}
	return nil
}

// job is a cell's job, with the condition of its runs and nothing that strikes.
func (c *matrixCell) job(in *engine.Input) lessons.Query {
	q := lessons.Query{Scenario: matrixScenario, Set: []string{"strategy=" + c.Strategy, "sink=" + c.Sink, "output=" + c.Output}}
	for _, k := range slices.Sorted(maps.Keys(c.Settings)) {
		if k != "readers" {
			q.Set = append(q.Set, k+"="+c.Settings[k])
		}
	}
	if r := c.reader(); r != "" {
		q.Set = append(q.Set, "isolation.level="+r)
	}
	if c.Condition != "" {
		q.Faults = append(q.Faults, c.Condition)
	}
	if c.Times > 1 && in != nil {
		q.Input = inputTimes(in, c.Times)
	}
	return q
}

// query is the shortest run of a class, and the event just before its fault.
func (c *matrixCell) query(class check.Class, in *engine.Input) (q lessons.Query, at int) {
	q = c.job(in)
	fault := c.Examples[class].Fault
	if fault == "" {
		return q, 0 // nothing fails
	}
	q.Faults = append(q.Faults, fault)
	_, moment, _ := strings.Cut(fault, "@")
	at, err := strconv.Atoi(moment)
	if err != nil {
		at = 0 // the run from its beginning
	}
	return q, at
}

// inputTimes packs an input as own records, so many times over; "" where it is too
// long for a link.
func inputTimes(in *engine.Input, times int) string {
	var b strings.Builder
	b.WriteString("partition,key,value\n")
	for p, part := range in.Parts {
		for range times {
			for _, d := range part {
				fmt.Fprintf(&b, "%d,%s,%s\n", p, in.Keys[d.Key], strconv.FormatFloat(float64(d.Value)/float64(engine.ValueScale), 'f', -1, 64))
			}
		}
	}
	s, err := lessons.EncodeInput([]byte(b.String()))
	if err != nil {
		return ""
	}
	return s
}

// MatrixLinks are all links of the matrix into runs, in the order of the cells. The
// catalogue has the scenario behind them.
func MatrixLinks(cat *lessons.Catalogue) (out []MatrixLink) {
	var file struct{ Cells []matrixCell }
	if json.Unmarshal(MatrixJSON, &file) != nil {
		return nil // New says so
	}
	in := matrixInput(cat)
	for i := range file.Cells {
		c := &file.Cells[i]
		for _, class := range check.Classes() {
			if c.Classes[class] > 0 {
				q, at := c.query(class, in)
				out = append(out, MatrixLink{q, at, class})
			}
		}
	}
	return out
}

// withoutTwin drops the column of mail with a random key where it is the same as that
// of mail without one, run for run, as it is wherever each attempt draws its own key;
// the other column then speaks for both. Rows that have only one of them keep it.
func withoutTwin(cells []matrixCell) []matrixCell {
	none, random := map[string]map[check.Class]int{}, map[string]map[check.Class]int{}
	for i := range cells {
		switch c := &cells[i]; c.Column {
		case "email none":
			none[c.Row+c.Output] = c.Classes
		case "email random":
			random[c.Row+c.Output] = c.Classes
		}
	}
	for place, classes := range random {
		if !maps.Equal(none[place], classes) {
			return cells
		}
	}
	out := slices.DeleteFunc(slices.Clone(cells), func(c matrixCell) bool { return c.Column == "email random" })
	for i := range out {
		if _, both := random[out[i].Row+out[i].Output]; both && out[i].Column == "email none" {
			out[i].Column = "email, key none or random"
		}
	}
	return out
}
