package e2e

import "testing"

// TestAxeOnEveryLesson looks at the last step of each lesson, where all its texts,
// bets, plots, tables and questions are open.
func TestAxeOnEveryLesson(t *testing.T) {
	source := axeSource(t)
	b := open(t, site.URL, look{})
	b.visit("/")
	b.await(`document.querySelector('.chapters')`)
	lessons := eval[[]string](b, `[...new Set([...document.querySelectorAll('a[href^="/lessons/"]')].map(a => new URL(a.href).pathname))]`)
	if len(lessons) < 22 {
		t.Fatalf("%d lessons on the front page", len(lessons))
	}
	shared(t, look{}, lessons, func(b *tab, path string) {
		b.visit(path + "?seg=end")
		b.await(complete)
		b.axeBoth(source, path)
	})
}
