package sqlstore

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"effectivelyonce/tests/postgres"
)

// shared is the one cluster of this package, started by the first test that asks.
var (
	asked  atomic.Bool
	shared = sync.OnceValue(func() *postgres.Cluster { asked.Store(true); return postgres.Start() })
)

func TestMain(m *testing.M) {
	if mode := os.Getenv("PROGRESS_CHILD"); mode != "" {
		os.Exit(child(mode))
	}
	code := m.Run()
	if asked.Load() {
		shared().Remove()
	}
	os.Exit(code)
}
