// Package repo holds tests about the repository itself: who may import whom, how
// long files and functions may be, and words that must not occur.
package repo

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "effectivelyonce"

// table reads the import table of ARCHITECTURE.md: package → what it may import.
func table(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		name := strings.Trim(strings.TrimSpace(cells[1]), "`")
		var may []string
		for _, word := range strings.Fields(strings.ReplaceAll(cells[2], ",", " ")) {
			may = append(may, strings.Trim(word, "`"))
		}
		out[name] = may
	}
	if len(out) < 8 {
		t.Fatalf("the import table of ARCHITECTURE.md has %d rows; is its form still | `package` | `import` … |?", len(out))
	}
	return out
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "../../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// TestImportsFollowTheTable holds every package to its row. Packages under engine
// may also import nothing but the standard library, unless their row says so.
func TestImportsFollowTheTable(t *testing.T) {
	rows := table(t)
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if strings.HasPrefix(name, "tests") {
			continue
		}
		may, ok := rows[name]
		if !ok {
			t.Errorf("package %s has no row in the import table of ARCHITECTURE.md", name)
			continue
		}
		for _, imp := range p.Imports {
			if !allowed(imp, may) {
				t.Errorf("%s imports %s; its row in ARCHITECTURE.md allows %s", name, imp, strings.Join(may, " "))
			}
		}
	}
}

func allowed(imp string, may []string) bool {
	own, ours := strings.CutPrefix(imp, module+"/")
	if !ours && !strings.Contains(strings.Split(imp, "/")[0], ".") {
		return true // standard library
	}
	for _, m := range may {
		switch {
		case ours && m == own, !ours && (m == imp || strings.HasPrefix(imp, m+"/")):
			return true
		case ours && strings.HasSuffix(m, "/*") && path.Dir(own) == strings.TrimSuffix(m, "/*"):
			return true
		}
	}
	return false
}
