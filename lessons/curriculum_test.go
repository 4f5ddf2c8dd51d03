package lessons_test

import (
	"strings"
	"testing"

	"effectivelyonce/quizzes"
)

// curriculum is the question bank of the course: 96 questions, by lesson.
const curriculum = `
q01.1 q01.2 q01.3 q01.4
q02.1 q02.2 q02.3 q02.4
q03.1 q03.2 q03.3 q03.4
q04.1 q04.2 q04.3 q04.4 q04.5
q05.1 q05.2 q05.3 q05.4
q06.1 q06.2 q06.3 q06.4
q07.1 q07.2 q07.3 q07.4
q08.1 q08.2 q08.3 q08.4
q09.1 q09.2 q09.3 q09.4
q10.1 q10.2 q10.3 q10.4
q11.1 q11.2 q11.3 q11.4 q11.5
q12.1 q12.2 q12.3 q12.4
q13.1 q13.2 q13.3 q13.4 q13.5
q14.1 q14.2 q14.3 q14.4
q15.1 q15.2 q15.3 q15.4 q15.5
q16.1 q16.2 q16.3 q16.4
q17.1 q17.2 q17.3 q17.4 q17.5
q18.1 q18.2 q18.3 q18.4 q18.5
q19.1 q19.2 q19.3 q19.4 q19.5
q20.1 q20.2 q20.3 q20.4 q20.5
q21.1 q21.2 q21.3 q21.4
q22.1 q22.2 q22.3 q22.4
`

// interviews are the four classic interview questions (facts 14A).
const interviews = "q10.4 q11.5 q20.5 q22.4"

// Every question of the curriculum is asked, and none of them twice.
func TestEveryQuestionOfTheCurriculumIsAsked(t *testing.T) {
	cat, ids := catalogue(t), strings.Fields(curriculum)
	if len(ids) != 96 {
		t.Fatalf("the list has %d questions, the curriculum 96", len(ids))
	}
	for _, id := range ids {
		q, l := cat.Question(id)
		if q == nil {
			t.Errorf("%s is missing", id)
			continue
		}
		if want := "q" + twoDigits(l.Number) + "."; !strings.HasPrefix(id, want) {
			t.Errorf("%s is asked in lesson %d", id, l.Number)
		}
	}
}

func twoDigits(n int) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }

// The classic questions are open, and a reader finds all that an answer needs.
func TestClassicQuestionsAreComplete(t *testing.T) {
	cat := catalogue(t)
	for _, id := range strings.Fields(interviews) {
		q, _ := cat.Question(id)
		if q == nil || q.Kind != quizzes.Open {
			t.Errorf("%s is no open question", id)
			continue
		}
		words := 0
		for _, p := range q.Model {
			words += len(strings.Fields(p.Text))
		}
		if words < 120 || len(q.Options) < 8 || len(q.Gaps) < 3 {
			t.Errorf("%s: a model answer of %d words, %d points, %d gaps", id, words, len(q.Options), len(q.Gaps))
		}
	}
}
