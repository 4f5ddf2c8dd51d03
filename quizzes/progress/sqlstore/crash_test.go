package sqlstore

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"effectivelyonce/quizzes/progress"
)

// child is another process of the same test binary, told by its environment what
// to do. It prints the ticket of each answer once Add has returned nil.
func child(mode string) int {
	open := SQLite
	if os.Getenv("PROGRESS_BASE") == "PostgreSQL" {
		open = PostgreSQL
	}
	s, err := open(os.Getenv("PROGRESS_PLACE"), Options{})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	defer func() { _ = s.Close() }()
	if mode == "crowd" {
		return crowd(s, os.Getenv("PROGRESS_WHO"))
	}
	who, out := progress.Learner(os.Getenv("PROGRESS_WHO")), bufio.NewWriter(os.Stdout)
	for n := 0; ; n++ {
		if mode == "middle" && n == 7 {
			s.inside = func() {
				fmt.Fprintln(out, "inside", answer(n).Ticket)
				_ = out.Flush()
				select {}
			}
		}
		if err := s.Add(context.Background(), who, progress.History{Answers: []progress.Answer{answer(n)}}); err != nil {
			fmt.Println("error", err)
			return 1
		}
		fmt.Fprintln(out, "saved", answer(n).Ticket)
		_ = out.Flush()
	}
}

const (
	crowdSize    = 50 // learners of one process; there are two
	crowdAnswers = 20 // of each learner
)

// crowd answers as many learners at once.
func crowd(s *Store, prefix string) int {
	var wg sync.WaitGroup
	failed := make(chan error, crowdSize)
	for i := range crowdSize {
		wg.Go(func() {
			who := progress.Learner(prefix + strconv.Itoa(i))
			for n := range crowdAnswers {
				if err := s.Add(context.Background(), who, progress.History{Answers: []progress.Answer{answer(n)}}); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		fmt.Println("error", err)
		return 1
	}
	return 0
}

func startChild(t *testing.T, b base, place, mode, who string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PROGRESS_CHILD="+mode, "PROGRESS_BASE="+b.name, "PROGRESS_PLACE="+place, "PROGRESS_WHO="+who)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// until reads what the child says up to a line that ends it, and kills the child
// as kill -9 does, wherever it is by then. It returns the tickets that were said
// to be saved, also those that were said before the signal arrived.
func until(t *testing.T, cmd *exec.Cmd, out *bufio.Scanner, enough func(line string, saved int) bool) (saved []string) {
	t.Helper()
	killed := false
	for out.Scan() {
		word, rest, _ := strings.Cut(out.Text(), " ")
		switch word {
		case "error":
			t.Fatal(rest)
		case "saved":
			saved = append(saved, rest)
		}
		if !killed && enough(out.Text(), len(saved)) {
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended with %v, not by the signal", err)
	}
	return saved
}

// A process dies in the middle of an answer: what was said to be saved is there,
// the answer under way is not, and giving it again saves it once.
func TestKilledInTheMiddleOfAnAnswer(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		who := progress.NewLearner()
		cmd, out := startChild(t, b, place, "middle", string(who))
		saved := until(t, cmd, out, func(line string, _ int) bool { return line == "inside t7" })
		s := b.must(t, place, Options{})
		if got := tickets(load(t, s, who)); got != strings.Join(saved, " ") || len(saved) != 7 {
			t.Errorf("kept %q, said to be saved %q", got, saved)
		}
		for range 2 {
			add(t, s, who, progress.History{Answers: []progress.Answer{answer(7)}})
		}
		if got := tickets(load(t, s, who)); got != strings.Join(append(saved, "t7"), " ") {
			t.Errorf("after the answer was given again: %q", got)
		}
	})
}

// A process dies anywhere while it answers as fast as it can.
func TestKilledAnywhere(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		for _, after := range []int{1, 40} {
			who := progress.NewLearner()
			cmd, out := startChild(t, b, place, "anywhere", string(who))
			saved := until(t, cmd, out, func(_ string, n int) bool { return n == after })
			s := b.must(t, place, Options{})
			kept := strings.Fields(tickets(load(t, s, who)))
			if n := len(kept) - len(saved); n < 0 || n > 1 || strings.Join(kept[:len(saved)], " ") != strings.Join(saved, " ") {
				t.Errorf("%d answers are kept, %d were said to be saved: %v", len(kept), len(saved), kept)
			}
			if err := s.Ready(context.Background()); err != nil {
				t.Errorf("not well after the kill: %v", err)
			}
		}
	})
}

func tickets(h progress.History) string {
	var out []string
	for _, a := range h.Answers {
		out = append(out, a.Ticket)
	}
	return strings.Join(out, " ")
}

// A hundred learners answer at once through two processes. Nothing is lost, and
// nothing shows twice.
func TestACrowdLosesNothing(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		began := time.Now()
		var cmds []*exec.Cmd
		var said []*bufio.Scanner
		for _, prefix := range []string{"east", "west"} {
			cmd, out := startChild(t, b, place, "crowd", prefix)
			cmds, said = append(cmds, cmd), append(said, out)
		}
		for i, cmd := range cmds {
			for said[i].Scan() {
				t.Error(said[i].Text())
			}
			if err := cmd.Wait(); err != nil {
				t.Fatalf("a process of the crowd: %v", err)
			}
		}
		t.Logf("%d answers in %v", 2*crowdSize*crowdAnswers, time.Since(began))
		s, all := b.must(t, place, Options{}), 0
		for _, prefix := range []string{"east", "west"} {
			for i := range crowdSize {
				got := load(t, s, progress.Learner(prefix+strconv.Itoa(i)))
				if len(got.Answers) != crowdAnswers {
					t.Errorf("%s%d has %d answers, want %d", prefix, i, len(got.Answers), crowdAnswers)
				}
				all += len(got.Answers)
			}
		}
		if all != 2*crowdSize*crowdAnswers {
			t.Errorf("%d answers are kept, %d were given", all, 2*crowdSize*crowdAnswers)
		}
	})
}

// Two servers on one store see what the other saved at once.
func TestTwoServersAgree(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		one, two := b.must(t, place, Options{}), b.must(t, place, Options{})
		who := progress.NewLearner()
		for n := range 10 {
			s, other := one, two
			if n%2 == 1 {
				s, other = two, one
			}
			add(t, s, who, progress.History{Answers: []progress.Answer{answer(n)}})
			if got := load(t, other, who); len(got.Answers) != n+1 {
				t.Fatalf("after %d answers the other server has %d", n+1, len(got.Answers))
			}
		}
		if err := two.Erase(context.Background(), who); err != nil {
			t.Fatal(err)
		}
		if got := load(t, one, who); !got.Empty() {
			t.Errorf("erased in one, the other has %+v", got)
		}
	})
}
