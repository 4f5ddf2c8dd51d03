package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// binary is the program under test, built once by TestMain; data is the folder in
// which its processes keep what learners did.
var binary, data string

// build compiles the program into dir.
func build(dir string) (string, error) {
	out := dir + "/server"
	cmd := exec.Command("go", "build", "-o", out, "effectivelyonce/cmd/server")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, text)
	}
	return out, nil
}

// program is the site as a process of its own.
type program struct {
	URL string
	cmd *exec.Cmd
}

// launch starts the program at an address and waits until it says where it is.
func launch(addr string) (*program, error) { return launchWith(addr, data) }

func launchWith(addr, data string) (*program, error) { return launchArgs(addr, "--data", data) }

// launchArgs starts the program with more arguments: where it keeps what.
func launchArgs(addr string, more ...string) (*program, error) {
	return launchLogged(os.Stderr, addr, more...)
}

// launchLogged is the same with its log elsewhere.
func launchLogged(log io.Writer, addr string, more ...string) (*program, error) {
	cmd := exec.Command(binary, append([]string{"serve", "--addr", addr}, more...)...)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &program{cmd: cmd}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), " is at "); ok {
			p.URL = url
			return p, nil
		}
	}
	p.kill()
	return nil, fmt.Errorf("the program ended without saying where it is")
}

// kill ends the process at once, as a machine that fails would.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed: the status says nothing
}

// start launches a program that belongs to one test.
func start(t *testing.T) *program {
	t.Helper()
	p, err := launch("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// restart launches the program again at the address it had.
func (p *program) restart(t *testing.T) {
	t.Helper()
	again, err := launch(strings.TrimPrefix(p.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = again.cmd
}
