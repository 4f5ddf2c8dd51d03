package web

import (
	"fmt"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// missed says what a repaired job fails to do in the run without a crash, "" if it
// does all that the level asks, such as a delay that its readers accept.
func (s *Server) missed(c echo.Context, r *run, lv *lessons.Level) (string, error) {
	if len(lv.Win) == 0 {
		return "", nil
	}
	calm := r.Query
	calm.Faults = nil
	quiet, err := s.runOf(c, calm)
	if err != nil {
		return "", err
	}
	for _, w := range lv.Win {
		e, err := quizzes.ParseExpr(w)
		if err != nil {
			return "", err
		}
		played := &quizzes.Run{Trace: quiet.Trace, Verdicts: quiet.Verdicts}
		if ok, err := e.True(played); err != nil || !ok {
			found, _, _ := strings.Cut(strings.TrimPrefix(e.Found(played), "found "), " ")
			return fmt.Sprintf("It misses the goal even without a crash. Asked is %s, and here it is %s.", w, found), err
		}
	}
	return "", nil
}
