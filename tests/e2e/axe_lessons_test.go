package e2e

import (
	"os"
	"testing"
)

// TestAxeOnEveryLesson looks at the last step of each lesson, where all its texts,
// bets, plots, tables and questions are open.
func TestAxeOnEveryLesson(t *testing.T) {
	source, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("axe-core is not installed; run: npm ci --prefix tests (%v)", err)
	}
	b := open(t, site.URL, look{})
	b.visit("/")
	b.await(`document.querySelector('.chapters')`)
	lessons := eval[[]string](b, `[...new Set([...document.querySelectorAll('a[href^="/lessons/"]')].map(a => new URL(a.href).pathname))]`)
	if len(lessons) < 22 {
		t.Fatalf("%d lessons on the front page", len(lessons))
	}
	for _, path := range lessons {
		b.visit(path + "?seg=end")
		b.await(complete)
		b.axe(string(source), path)
	}
}
