package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// browser is the one browser of the package, site the program that tests share
// which do not kill it.
var (
	browser context.Context
	site    *program
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run sets up what all tests share; a part that is missing fails the package
// with words that say what to do.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "effectively-once-e2e")
	if err == nil {
		defer os.RemoveAll(dir)
		binary, err = build(dir)
	}
	data = dir + "/data"
	if err == nil {
		if site, err = launch("127.0.0.1:0"); err == nil {
			defer site.kill()
		}
	}
	var stop context.CancelFunc
	if err == nil {
		if browser, stop, err = startBrowser(dir + "/profile"); err == nil {
			defer stop()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
