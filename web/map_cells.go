package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine/check"
)

// mapCell is what one place of a panel shows: the worst class of its moments, and
// how often.
type mapCell struct {
	ID      string
	Value   string // FAULT@COLUMN
	Class   check.Class
	Rows    int // of the worst run
	With    int // moments that have the class
	Tried   int
	Of      int
	Also    []check.Class // further classes, worst first; never exact
	Rewound bool
	Gap     int // the first moment of the worst run
	None    bool
	name    string
	label   string
	bin     int // columns in it
}

// cell folds what is known of a row and a bin.
func (m *crashMap) cell(p *mapPanel, row, bin int) mapCell {
	c := mapCell{ID: fmt.Sprintf("%d-%d-%d", p.Index, row, bin), Value: m.Rows[row] + "@" + strconv.Itoa(m.startOf(bin)), bin: m.Bin,
		name: rowName(m.Rows[row]), label: m.momentWords(bin)}
	from, to := m.gaps(p, bin)
	c.Of, c.Gap = to-from, from
	target := p.target[row]
	if target < 0 {
		c.None = true
		return c
	}
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	seen := map[check.Class]bool{}
	for gap := from; gap < to; gap++ {
		k := p.known.at(gap, target)
		if k.class == 0 {
			continue
		}
		c.Tried++
		c.Rewound = c.Rewound || k.rewound
		is := k.is()
		seen[is] = true
		switch {
		case is != c.Class && check.Worst(is, c.Class) == is:
			c.Class, c.Rows, c.With, c.Gap = is, k.rows(), 1, gap
		case is == c.Class:
			c.With++
			if k.rows() > c.Rows {
				c.Rows, c.Gap = k.rows(), gap
			}
		}
	}
	for _, k := range check.Classes() {
		if seen[k] && k != c.Class && k != check.Exact {
			c.Also = append(c.Also, k)
		}
	}
	return c
}

// Classes are those of the style sheet. Severity of duplicates has three steps.
func (c *mapCell) Classes() string {
	out := []string{"mc"}
	switch {
	case c.None:
		out = append(out, "none")
	case c.Class == "":
		out = append(out, "hollow")
	case c.Class == check.Duplicated:
		out = append(out, "duplicated", "d"+strconv.Itoa(1+min(2, (c.Rows-1)/2)))
	default:
		out = append(out, string(c.Class))
	}
	if c.Rewound {
		out = append(out, "back")
	}
	if len(c.Also) > 0 {
		out = append(out, "also-"+string(c.Also[0]))
	}
	return strings.Join(out, " ")
}

// Text is the number in the cell: rows or, where columns are binned, moments. A
// number that does not fit is left out; the label has it.
func (c *mapCell) Text() string {
	n := c.Rows
	if c.bin > 1 {
		n = c.With
	}
	switch {
	case c.None || c.Class == "" || c.Class == check.Exact || n > 99 || n == 0:
		return ""
	case c.Class == check.Wrong || c.Class == check.Stuck:
		return ""
	}
	return strconv.Itoa(n)
}

// Label is the cell for those who hear it.
func (c *mapCell) Label() string {
	where := c.name + ", " + c.label + ": "
	switch {
	case c.None:
		return where + "this job has no such task"
	case c.Class == "":
		return where + "not tried yet"
	}
	says := where + c.verdict()
	if c.Of > 1 {
		says += fmt.Sprintf(" in %d of %s", c.With, count(c.Tried, "moment", "moments"))
		if c.Tried < c.Of {
			says += fmt.Sprintf(" tried, of %d", c.Of)
		}
	}
	for _, k := range c.Also {
		says += ", also " + mapWord(k)
	}
	if c.Rewound {
		says += ", a total went back"
	}
	return says
}

// verdict is the class with its rows.
func (c *mapCell) verdict() string {
	w := mapWord(c.Class)
	if c.Class != check.Exact && c.Rows > 0 {
		w += " " + strconv.Itoa(c.Rows)
	}
	return w
}

func mapWord(c check.Class) string {
	if c == check.Mixed {
		return "lost and duplicated"
	}
	return string(c)
}

// momentWords names a bin: moment 17, or moments 12 to 23.
func (m *crashMap) momentWords(bin int) string {
	a, b := m.startOf(bin), m.endOf(bin)
	if a == b {
		return "moment " + strconv.Itoa(a)
	}
	return fmt.Sprintf("moments %d to %d", a, b)
}

// axis is what stands under a column: every fifth has its number.
func (m *crashMap) axis(bin int) string {
	if bin%5 != 0 || m.bins() > 20 && bin+2 > m.bins() { // the last one would stick out
		return ""
	}
	return strconv.Itoa(m.startOf(bin))
}

// choiceTitle is a choice in words.
func choiceTitle(c string) string {
	if c == baseChoice {
		return "As it stands"
	}
	var out []string
	for _, kv := range splitChoice(c) {
		key, value, _ := strings.Cut(kv, "=")
		key = key[strings.LastIndexByte(key, '.')+1:]
		out = append(out, strings.ReplaceAll(strings.ReplaceAll(key, "-", " "), "_", " ")+": "+value)
	}
	return capitalised(strings.Join(out, ", "))
}

// isSelected reports whether a place is the selected one.
func (m *crashMap) isSelected(row, bin int) bool {
	return m.Sel != nil && m.Sel.Row == row && m.binOf(m.Sel.Column) == bin
}

// isStop reports whether a place is where Tab enters a panel.
func (m *crashMap) isStop(row, bin int) bool {
	return m.isSelected(row, bin) || m.Sel == nil && row == 0 && bin == 0
}

func classesIn(n map[check.Class]int) []check.Class {
	return slices.DeleteFunc(check.Classes(), func(c check.Class) bool { return n[c] == 0 })
}
