package lessons

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

// Catalogue is everything in a content folder. It is immutable once Prepare has
// returned, and may be shared.
type Catalogue struct {
	Title     string
	chapters  []*Chapter
	lessons   []*Lesson
	bySlug    map[string]*Lesson
	scenarios map[string]*Scenario
	order     []string // ids of scenarios
	inputs    map[string]*inputFile
	terms     map[string]*Term
	incidents []*Incident
	capstones []*Level // sorted by code
	paths     []*Path
}

// Load reads a content folder. The catalogue is usable as far as the files are
// right; what is not right is listed as problems, in the order of the files.
// Texts hold their numbers and links only after Prepare.
func Load(fsys fs.FS) (*Catalogue, []Problem) {
	l := newLoader(fsys)
	l.strayFiles()
	l.inputs()
	l.scenarios("scenarios", "")
	l.course()
	if data, ok := l.read("glossary.yaml", false); ok {
		terms, ps := readGlossary("glossary.yaml", data)
		l.cat.terms = terms
		l.add(ps...)
	}
	for _, les := range l.cat.lessons {
		l.lesson(les)
	}
	for _, les := range l.cat.lessons {
		l.crossCheck(les)
	}
	slices.Sort(l.cat.order)
	l.incidents()
	l.levels()
	l.cat.renderPlain()
	return l.cat, l.problems
}

// LoadScenarios reads of a content folder what a run is compiled from, the scenarios
// and their inputs, and no text: for whoever runs and does not teach.
func LoadScenarios(fsys fs.FS) (*Catalogue, []Problem) {
	l := newLoader(fsys)
	l.inputs()
	l.scenarios("scenarios", "")
	l.course()
	for _, les := range l.cat.lessons {
		les.ScenarioIDs = l.scenarios("lessons/"+les.Slug+"/scenarios", les.Slug)
	}
	slices.Sort(l.cat.order)
	return l.cat, l.problems
}

func newLoader(fsys fs.FS) *loader {
	return &loader{fsys: fsys, cat: &Catalogue{bySlug: map[string]*Lesson{}, scenarios: map[string]*Scenario{},
		inputs: map[string]*inputFile{}, terms: map[string]*Term{}}}
}

// Lessons lists all lessons in course order, those that are coming included.
func (c *Catalogue) Lessons() []*Lesson { return c.lessons }

// Lesson is the lesson with this slug, nil if the course has none.
func (c *Catalogue) Lesson(slug string) *Lesson { return c.bySlug[slug] }

// Chapters lists the chapters in course order.
func (c *Catalogue) Chapters() []*Chapter { return c.chapters }

// Scenario is the scenario with this id, nil if there is none.
func (c *Catalogue) Scenario(id string) *Scenario { return c.scenarios[id] }

// ScenarioIDs lists the ids of all scenarios, sorted.
func (c *Catalogue) ScenarioIDs() []string { return c.order }

// Term is a word of the glossary, nil if it is not there.
func (c *Catalogue) Term(id string) *Term { return c.terms[id] }

// Terms lists the glossary, sorted by word.
func (c *Catalogue) Terms() []*Term {
	var out []*Term
	for _, t := range c.terms {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *Term) int { return strings.Compare(strings.ToLower(a.Word), strings.ToLower(b.Word)) })
	return out
}

// ReadScenario reads a scenario that is not part of the content folder, for the
// command line. The catalogue returned holds it beside its own; c is unchanged.
func (c *Catalogue) ReadScenario(file string, data []byte) (*Catalogue, *Scenario, []Problem) {
	sc, problems := readScenario(file, data, c.inputs)
	if sc == nil || len(problems) > 0 {
		return c, nil, problems
	}
	own := *c
	own.scenarios = map[string]*Scenario{}
	for id, s := range c.scenarios {
		own.scenarios[id] = s
	}
	own.scenarios[sc.ID] = sc
	if !slices.Contains(c.order, sc.ID) {
		own.order = append(slices.Clone(c.order), sc.ID)
		slices.Sort(own.order)
	}
	return &own, sc, nil
}

// loader is a catalogue being read.
type loader struct {
	fsys     fs.FS
	cat      *Catalogue
	problems []Problem
}

func (l *loader) add(ps ...Problem) {
	for _, p := range ps {
		p.Do = advice(p.What, p.Do)
		l.problems = append(l.problems, p)
	}
}

func (l *loader) read(name string, must bool) ([]byte, bool) {
	data, err := fs.ReadFile(l.fsys, name)
	if err == nil {
		l.lint(name, data)
		return data, true
	}
	if must || !errors.Is(err, fs.ErrNotExist) {
		l.add(Problem{File: name, What: "cannot be read: " + reason(err), Do: "add the file"})
	}
	return nil, false
}

// overpromise is what no text may say: records are processed again after a crash,
// only their effect can be single.
const overpromise = "processed exactly" + " once"

// unwritten stands in a new lesson's folder where a text is to be written.
const unwritten = "TO" + "DO"

func (l *loader) lint(name string, data []byte) {
	for i, line := range strings.Split(string(data), "\n") {
		if strings.Contains(line, unwritten) {
			l.add(Problem{File: name, Line: i + 1, What: "a text is still to be written", Do: "replace it: " + strings.TrimSpace(line)})
		}
		if strings.Contains(strings.ToLower(line), overpromise) {
			l.add(Problem{File: name, Line: i + 1, What: "the words " + strict.Quote(overpromise), Do: "name the effect and its boundary: what shows once, within what"})
		}
	}
}

func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// strayFiles reports files that nothing reads: a misspelt name would otherwise be
// a lesson that silently does not appear.
func (l *loader) strayFiles() {
	_ = fs.WalkDir(l.fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			l.add(Problem{File: p, What: "cannot be read: " + reason(err)})
			return nil
		}
		if !d.IsDir() && !expected(p) && !strings.HasPrefix(d.Name(), ".") {
			l.add(Problem{File: p, What: "nothing reads this file", Do: "the folder holds course.yaml, glossary.yaml, inputs/NAME.yaml, scenarios/ID.yaml, incidents/CNN-SLUG.yaml, levels/SLUG.yaml and lessons/SLUG/ with lesson.md, quiz.yaml, scenarios/ID.yaml"})
		}
		return nil
	})
}

func expected(p string) bool {
	dir, name := path.Split(p)
	parts := strings.Split(strings.TrimSuffix(dir, "/"), "/")
	yaml := strings.HasSuffix(name, ".yaml")
	switch {
	case dir == "":
		return name == "course.yaml" || name == "glossary.yaml" || name == "README.md" || strings.HasSuffix(name, ".go")
	case dir == "inputs/" || dir == "scenarios/" || dir == "incidents/" || dir == "levels/":
		return yaml
	case parts[0] == "lessons" && len(parts) == 2:
		return name == "lesson.md" || name == "quiz.yaml"
	case parts[0] == "lessons" && len(parts) == 3:
		return parts[2] == "scenarios" && yaml
	}
	return false
}

func (l *loader) names(dir string) []string {
	entries, err := fs.ReadDir(l.fsys, dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".yaml") {
			out = append(out, e.Name())
		}
	}
	return out
}

func (l *loader) inputs() {
	for _, name := range l.names("inputs") {
		file := "inputs/" + name
		data, ok := l.read(file, true)
		if !ok {
			continue
		}
		doc, root, ok := strict.Parse(file, data, 0)
		if ok {
			l.cat.inputs[strings.TrimSuffix(name, ".yaml")] = readInput(root, strings.TrimSuffix(name, ".yaml"))
		}
		l.add(doc.Problems...)
	}
}

// scenarios reads the scenario files of a folder and returns their ids.
func (l *loader) scenarios(dir, lesson string) []string {
	var ids []string
	for _, name := range l.names(dir) {
		file := dir + "/" + name
		data, ok := l.read(file, true)
		if !ok {
			continue
		}
		sc, ps := readScenario(file, data, l.cat.inputs)
		l.add(ps...)
		if sc == nil {
			continue
		}
		if other := l.cat.scenarios[sc.ID]; other != nil {
			l.add(Problem{File: file, Line: 1, What: fmt.Sprintf("scenario %q exists already in %s", sc.ID, other.File), Do: "give each scenario its own id"})
			continue
		}
		sc.Lesson = lesson
		l.cat.scenarios[sc.ID] = sc
		l.cat.order = append(l.cat.order, sc.ID)
		ids = append(ids, sc.ID)
	}
	return ids
}

func (l *loader) course() {
	data, ok := l.read("course.yaml", true)
	if !ok {
		return
	}
	title, chapters, paths, ps := readCourse("course.yaml", data)
	l.add(ps...)
	l.cat.Title, l.cat.chapters, l.cat.paths = title, chapters, paths
	for _, ch := range chapters {
		for _, les := range ch.Lessons {
			l.cat.lessons = append(l.cat.lessons, les)
			l.cat.bySlug[les.Slug] = les
		}
	}
	entries, err := fs.ReadDir(l.fsys, "lessons")
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && l.cat.bySlug[e.Name()] == nil {
			l.add(Problem{File: "lessons/" + e.Name(), What: "the course does not name this lesson", Do: "add its slug, title, takes and claim to a chapter of course.yaml"})
		}
	}
}

func (l *loader) lesson(les *Lesson) {
	dir := "lessons/" + les.Slug
	if _, err := fs.Stat(l.fsys, dir); err != nil {
		return
	}
	les.ScenarioIDs = l.scenarios(dir+"/scenarios", les.Slug)
	if data, ok := l.read(dir+"/lesson.md", true); ok {
		l.add(les.readLesson(dir+"/lesson.md", data)...)
	}
	if data, ok := l.read(dir+"/quiz.yaml", false); ok {
		qs, ps := quizzes.Read(dir+"/quiz.yaml", data)
		les.Quiz = qs
		l.add(ps...)
	}
}
