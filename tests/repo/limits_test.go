package repo

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	maxFile     = 350
	maxTestFile = 500
	maxFunc     = 60
	maxScripts  = 64_000 // a page loads at most 40,000 of them: tests/js/budget.test.js, docs/decisions/0012
)

// files lists what git tracks or would track, relative to the repository's top.
func files(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	var list []string
	for _, f := range strings.Fields(string(out)) {
		if _, err := os.Stat(filepath.Join("../..", f)); err == nil {
			list = append(list, f)
		}
	}
	return list
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFilesAndFunctionsStayShort(t *testing.T) {
	for _, f := range files(t) {
		if strings.HasSuffix(f, "_templ.go") || !strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, ".templ") {
			continue
		}
		text := read(t, f)
		limit := maxFile
		if strings.HasSuffix(f, "_test.go") {
			limit = maxTestFile
		}
		if n := bytes.Count(text, []byte("\n")); n > limit {
			t.Errorf("%s has %d lines, the limit is %d", f, n, limit)
		}
		if strings.HasSuffix(f, ".go") {
			checkFunctions(t, f, text)
		}
	}
}

func checkFunctions(t *testing.T, file string, text []byte) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, text, 0)
	if err != nil {
		t.Error(err)
		return
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		fn, ok := n.(*ast.FuncDecl)
		if !ok {
			return true
		}
		if lines := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; lines > maxFunc {
			t.Errorf("%s: %s has %d lines, the limit is %d", file, fn.Name.Name, lines, maxFunc)
		}
		return true
	})
}

func TestScriptsStaySmall(t *testing.T) {
	total := 0
	for _, f := range files(t) {
		if strings.HasPrefix(f, "static/") && strings.HasSuffix(f, ".js") {
			total += len(read(t, f))
		}
	}
	if total > maxScripts || total == 0 {
		t.Errorf("scripts of ours are %d bytes, the limit is %d", total, maxScripts)
	}
}

// forbidden are words that no file may hold, with the reason. They are put
// together here so that this file does not hold them either.
var forbidden = []struct{ pattern, why string }{
	{`processed ` + `exactly once`, "name the boundary: records are processed again after a crash"},
	{`/` + `(work|root|farm)/(main|shared|go)`, "a path of one machine"},
	{`proxy\.` + `golang|registry\.` + `npmjs|deb\.` + `debian`, "a registry host"},
	{`\bt\.` + `Skip\(`, "a skipped test is no test"},
	{`time\.` + `Sleep\(`, "wait for a state, not for a time"},
}

func TestForbiddenWords(t *testing.T) {
	for _, f := range files(t) {
		switch filepath.Ext(f) {
		case ".go", ".templ", ".md", ".yaml", ".css", ".js", ".json", ".sh", ".txt", "":
		default:
			continue
		}
		text := read(t, f)
		for _, w := range forbidden {
			re := regexp.MustCompile(`(?i)` + w.pattern)
			if at := re.FindIndex(text); at != nil && !allowedWord(f, text, at) {
				line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
				t.Errorf("%s:%d: %q: %s", f, line, text[at[0]:at[1]], w.why)
			}
		}
	}
}

// allowedWord lets go.sum and the licence be.
func allowedWord(file string, _ []byte, _ []int) bool {
	return file == "go.sum" || file == "LICENSE"
}
