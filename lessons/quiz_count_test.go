package lessons_test

import "testing"

// Every lesson of the course asks at least three questions.
func TestEveryLessonAsks(t *testing.T) {
	for _, l := range catalogue(t).Lessons() {
		if n := len(l.Quiz); n < 3 {
			t.Errorf("%s asks %d questions", l.Slug, n)
		}
	}
}
