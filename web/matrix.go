package web

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// MatrixJSON is the guarantee matrix at seed 1, as server matrix --format json
// wrote it when this program was made. A test of engine/explore makes it again and
// compares.
//
//go:embed matrix.json
var MatrixJSON []byte

// matrixScenario has the topology, input and base settings of the matrix; a cell
// differs from it by settings only.
const matrixScenario = "barrier-cut"

// matrixCell is a cell of MatrixJSON.
type matrixCell struct {
	Part, Row, Column, Strategy, Condition, Sink, Output, Isolation string

	Settings map[string]string
	Points   int
	Times    int // the input so many times over, if more than once
	Classes  map[check.Class]int
	Rewound  int
	Examples map[check.Class]struct{ Fault string }
	Refused  string
	Nearest  string
}

// matrixPage is the page: a table for each part and output.
type matrixPage struct {
	chrome
	Tables   []*matrixTable
	Verdicts string // how many there are, for people
	Cells    int
	Reasons  []matrixNote // why some cells cannot be built
	Notes    []matrixNote

	input *engine.Input // of matrixScenario
}

type matrixTable struct {
	ID, Title, Note string
	Short           string // the title in the list of tables
	Corner          string // above the names of the rows
	Columns         []matrixColumn
	Rows            []*matrixRow
}

type matrixColumn struct{ Name, Reader string }

type matrixRow struct {
	Name, How string
	Cells     []matrixView
}

// matrixView is a cell as it is drawn.
type matrixView struct {
	Label   string // the column, where a row is a card
	Worst   check.Class
	Classes []matrixClass
	Rewound int
	Notes   []string // ids of footnotes
	Refused string   // number of the reason
	Why     string
	Missing bool // the table has no such cell
	Map     templ.SafeURL
}

type matrixClass struct {
	Class       check.Class
	Glyph, Word string
	Runs        int
	Href        templ.SafeURL
	Says        string // for those who do not see the table
}

// matrixNote is a footnote.
type matrixNote struct{ ID, Text string }

// newMatrix reads the embedded matrix; it fails only where the file is broken.
func newMatrix(cat *lessons.Catalogue) (*matrixPage, error) {
	var file struct{ Cells []matrixCell }
	if err := json.Unmarshal(MatrixJSON, &file); err != nil {
		return nil, fmt.Errorf("web: matrix.json: %w", err)
	}
	p := &matrixPage{Notes: matrixNotes(), Cells: len(file.Cells), input: matrixInput(cat)}
	total := 0
	for i := range file.Cells {
		total += file.Cells[i].Points
	}
	cells := withoutTwin(file.Cells)
	for i := range cells {
		c := &cells[i]
		t := p.table(c)
		col := matrixColumn{c.columnHead(), c.reader()}
		if !slices.Contains(t.Columns, col) {
			t.Columns = append(t.Columns, col)
		}
	}
	for i := range cells {
		c := &cells[i]
		t := p.table(c)
		at := slices.Index(t.Columns, matrixColumn{c.columnHead(), c.reader()})
		t.row(c).Cells[at] = p.view(c)
	}
	p.Verdicts = thousands(total)
	return p, nil
}

// table is the table that a cell stands in.
func (p *matrixPage) table(c *matrixCell) *matrixTable {
	id := c.Part + "-" + c.Output
	for _, t := range p.Tables {
		if t.ID == id {
			return t
		}
	}
	t := &matrixTable{ID: id, Corner: "Strategy"}
	t.Title, t.Note = matrixTitle(c.Part, c.Output)
	t.Short, _, _ = strings.Cut(t.Title, ":")
	if c.Part == "trident" {
		t.Corner = "Spout"
	} else if c.Part != "sinks" {
		t.Corner = "Setting"
	}
	p.Tables = append(p.Tables, t)
	return t
}

func (t *matrixTable) row(c *matrixCell) *matrixRow {
	name, how := c.rowHead()
	for _, r := range t.Rows {
		if r.Name == name && r.How == how {
			return r
		}
	}
	r := &matrixRow{Name: name, How: how, Cells: make([]matrixView, len(t.Columns))}
	for i := range r.Cells {
		r.Cells[i] = matrixView{Missing: true, Label: t.Columns[i].label()}
	}
	t.Rows = append(t.Rows, r)
	return r
}

func (c matrixColumn) label() string {
	if c.Reader == "" {
		return c.Name
	}
	return c.Name + ", " + c.Reader
}

func (c *matrixCell) reader() string {
	if c.Sink == "transactional" {
		return c.Isolation
	}
	return ""
}

// columnHead and rowHead turn the tables with an outside world of their own: two
// settings against each other.
func (c *matrixCell) columnHead() string {
	switch c.Part {
	case "trident":
		return "state " + c.Settings["state"]
	case "replicated":
		return "command.log=" + c.Settings["command.log"]
	}
	return c.Column
}

func (c *matrixCell) rowHead() (name, how string) {
	switch c.Part {
	case "trident":
		return "spout " + c.Settings["spout"], ""
	case "replicated":
		_, who, _ := strings.Cut(c.Row, "command.log="+c.Settings["command.log"]+", ")
		return "k=" + c.Settings["k"], who
	}
	name, how, _ = strings.Cut(c.Row, " ")
	return strings.TrimSuffix(name, ","), how
}

// view draws a cell.
func (p *matrixPage) view(c *matrixCell) matrixView {
	v := matrixView{Label: matrixColumn{c.columnHead(), c.reader()}.label(), Rewound: c.Rewound, Worst: check.Exact}
	if c.Refused != "" {
		v.Why, v.Refused = c.Refused, p.reason(c.Refused)
		return v
	}
	for _, class := range check.Classes() {
		n := c.Classes[class]
		if n == 0 {
			continue
		}
		v.Worst = check.Worst(v.Worst, class)
		glyph, word := classWord(class)
		q, at := c.query(class, p.input)
		v.Classes = append(v.Classes, matrixClass{Class: class, Glyph: glyph, Word: word, Runs: n, Href: templ.SafeURL("/run?" + queryOf(q) + "&at=" + strconv.Itoa(at)),
			Says: fmt.Sprintf(" of %d runs, open the shortest", c.Points)})
	}
	v.Map = templ.SafeURL("/map?" + queryOf(c.job(p.input)))
	for i := range p.Notes {
		if matrixNoteFits(p.Notes[i].ID, c) {
			v.Notes = append(v.Notes, p.Notes[i].ID)
		}
	}
	return v
}

// reason is the number of a refusal's footnote.
func (p *matrixPage) reason(why string) string {
	for _, r := range p.Reasons {
		if r.Text == why {
			return r.ID
		}
	}
	p.Reasons = append(p.Reasons, matrixNote{ID: strconv.Itoa(len(p.Reasons) + 1), Text: why})
	return p.Reasons[len(p.Reasons)-1].ID
}

// MatrixLink is where a word of the matrix leads.
type MatrixLink struct {
	Query lessons.Query
	At    int
	Class check.Class
}

// classWord is a class's glyph and its shortest word (design section 3).
func classWord(c check.Class) (glyph, word string) {
	switch c {
	case check.Duplicated:
		return "duplicated", "twice"
	case check.Mixed:
		return "mixed", "lost and twice"
	}
	return string(c), string(c)
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func (s *Server) handleMatrix(c echo.Context) error {
	p := *s.matrix
	p.chrome = s.chrome("Guarantees · Effectively Once", "matrix")
	p.Nav = "/matrix"
	return s.render(c, http.StatusOK, matrix(&p))
}
