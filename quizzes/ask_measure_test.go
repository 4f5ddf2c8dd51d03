package quizzes_test

import "testing"

func TestExpressionsMeasureARun(t *testing.T) {
	r := play(t, "hook-charges", nil, hookCrash)
	parts, err := r.Ask("recovery detect + recovery restart + recovery restore + recovery replay - recovery back")
	if err != nil || parts.Num < -1e-6 || parts.Num > 1e-6 {
		t.Errorf("the parts of a recovery and its whole differ by %v, %v", parts, err)
	}
	for expr, want := range map[string]string{"recovery detect": "0", "recovery restart": "500", "price waited": "0"} {
		if v, err := r.Ask(expr); err != nil || v.String() != want {
			t.Errorf("%s = %s, %v; want %s", expr, v, err, want)
		}
	}
	if _, err := r.Ask("recovery bak"); err == nil || err.Error() != `expression "recovery bak": recovery "bak"; allowed: back, detect, replay, restart, restore; did you mean "back"?` {
		t.Errorf("an unknown part: %v", err)
	}
	if _, err := play(t, "hook-charges", nil).Ask("recovery back"); err == nil {
		t.Error("a run without a crash has a recovery")
	}
}

// What is written at once is seen at once. What waits for a commit is seen with its
// checkpoint.
func TestDelayIsUntilTheReaderSeesIt(t *testing.T) {
	plain, err := play(t, "hook-charges", nil).Ask("delay")
	if err != nil || plain.Num < 10 || plain.Num > 60 {
		t.Errorf("append: %v ms, %v", plain, err)
	}
	held, err := play(t, "hook-charges", []string{"sink=transactional"}).Ask("delay")
	if err != nil || held.Num < 300 {
		t.Errorf("transactional: %v ms, %v; the interval is 300 ms", held, err)
	}
}
