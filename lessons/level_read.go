package lessons

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

var levelFields = []string{"kind", "title", "task", "goal", "scenario", "set", "budget", "kinds", "seconds", "keys", "win", "all", "duplicated", "best", "also", "decoys", "locked", "hints"}

// levels reads content/levels: a capstone a file, with the fields of a lesson's
// level, its code and the lesson that prepares for it.
func (l *loader) levels() {
	for _, name := range l.names("levels") {
		file := "levels/" + name
		data, ok := l.read(file, true)
		if !ok {
			continue
		}
		doc, root, ok := strict.Parse(file, data, 0)
		if ok {
			if lv := l.capstone(file, root); len(doc.Problems) == 0 {
				l.cat.capstones = append(l.cat.capstones, lv)
				l.checkLevel(lv)
			}
		}
		l.add(doc.Problems...)
	}
	slices.SortStableFunc(l.cat.capstones, func(a, b *Level) int { return strings.Compare(a.Code, b.Code) })
	for i, lv := range l.cat.capstones {
		if i > 0 && lv.Code == l.cat.capstones[i-1].Code {
			l.add(Problem{File: lv.file, Line: lv.line, What: "code " + lv.Code + " occurs in " + l.cat.capstones[i-1].file + " too", Do: "give each level its own"})
		}
	}
}

var levelCode = regexp.MustCompile(`^[AR]\d{1,2}$`)

func (l *loader) capstone(file string, root strict.Value) *Level {
	m := root.Map(append([]string{"slug", "code", "lesson"}, levelFields...)...)
	lv := readLevel(m, root)
	lv.file, lv.line = file, root.Line()
	lv.Slug, lv.Code, lv.Lesson = m.NeedText("slug"), m.NeedText("code"), m.NeedText("lesson")
	if want := strings.TrimSuffix(path.Base(file), ".yaml"); lv.Slug != "" && lv.Slug != want {
		m.Bad("slug "+strict.Quote(lv.Slug), "the file's name says "+strict.Quote(want)+"; make them equal")
	}
	first := map[string]string{"adversary": "A", "repair": "R"}[lv.Kind]
	if lv.Code != "" && (!levelCode.MatchString(lv.Code) || !strings.HasPrefix(lv.Code, first)) {
		m.Bad("code "+strict.Quote(lv.Code), "allowed: A and a number for an adversary level, R and a number for a repair")
	}
	if l.cat.bySlug[lv.Slug] != nil {
		m.Bad("slug "+strict.Quote(lv.Slug)+" is a lesson's", "give the level another name")
	}
	if v, ok := m.Get("lesson"); ok && lv.Lesson != "" && l.cat.bySlug[lv.Lesson] == nil {
		v.Bad("lesson "+strict.Quote(lv.Lesson), strict.Allowed(lv.Lesson, l.cat.lessonSlugs()))
	}
	if lv.Scenario == "" {
		m.Bad("field \"scenario\" is missing", "name the scenario that the level starts from")
	}
	return lv
}

func readLevel(m strict.Map, v strict.Value) *Level {
	lv := &Level{Kind: m.OneOf("kind", "adversary", "repair"), Title: m.NeedText("title"), Task: quizzes.MapText(m, "task", true),
		Goal: m.NeedText("goal"), Scenario: m.Text("scenario"), Set: m.Texts("set"), Budget: m.Int("budget", 1, 1, 16), Kinds: m.Texts("kinds"),
		Seconds: m.Int("seconds", 0, 0, 600), Repeats: m.Int("duplicated", -1, 0, 1<<20), Keys: m.Texts("keys"), Win: m.Texts("win"), Hints: texts(m, "hints"), places: map[string]int{}}
	for _, c := range readClasses(m, "all") {
		lv.All = append(lv.All, string(c))
	}
	if b, ok := m.Need("best"); ok {
		lv.Best = readMove(b)
	}
	for _, o := range m.List("also") {
		lv.Also = append(lv.Also, readMove(o))
	}
	for _, o := range m.List("decoys") {
		lv.Decoys = append(lv.Decoys, readMove(o))
	}
	if locked, ok := m.Get("locked"); ok {
		for _, p := range locked.Pairs() {
			lv.Locked = append(lv.Locked, LevelLock{Key: p.Key, Why: p.Value.Text()})
		}
	}
	if len(lv.Hints) != 3 {
		m.Bad(fmt.Sprintf("%d hints", len(lv.Hints)), "allowed: three: where to look, which mechanism, the move")
	}
	switch {
	case lv.Kind == "adversary" && len(lv.Win) == 0:
		m.Bad("an adversary level needs win", "list what must be true of the learner's run")
	case lv.Kind == "repair" && (len(lv.All) == 0 || len(lv.Keys) == 0):
		m.Bad("a repair level needs all and keys", "list the classes that may occur over the crash map, and the settings that may change")
	}
	for _, f := range []string{"win", "best", "decoys", "also", "all", "keys"} {
		lv.places[f] = v.Line()
		if fv, ok := m.Get(f); ok {
			lv.places[f] = fv.Line()
		}
	}
	return lv
}

func readMove(v strict.Value) LevelMove {
	m := v.Map("faults", "set", "refused", "why")
	return LevelMove{Faults: m.Texts("faults"), Set: m.Texts("set"), Refused: m.Bool("refused"), Why: quizzes.MapText(m, "why", true), line: v.Line()}
}

// checkLevel checks what a level says about things in other files.
func (l *loader) checkLevel(lv *Level) {
	if _, _, err := l.cat.Compile(lv.Query()); err != nil {
		l.add(Problem{File: lv.file, Line: lv.places["best"], What: "level: " + err.Error()})
		return
	}
	for _, w := range lv.Win {
		if _, err := quizzes.ParseExpr(w); err != nil {
			l.add(Problem{File: lv.file, Line: lv.places["win"], What: "level: " + err.Error()})
		}
	}
	for _, k := range lv.Keys {
		if near := engine.Nearest(k, engine.SettingKeys()); near != k && k != "input" {
			l.add(Problem{File: lv.file, Line: lv.places["keys"], What: "level: unknown setting " + strict.Quote(k), Do: strict.Allowed(k, engine.SettingKeys())})
		}
	}
}
