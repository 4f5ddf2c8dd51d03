// Package pgtest starts a real PostgreSQL for tests: a new one in a temporary
// folder, on a socket there, without a port. PostgreSQL does not run as root; then
// it runs as the user that Debian's package made, or as nobody.
package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// Cluster is a PostgreSQL server with its databases.
type Cluster struct {
	Dir string // the folder of its data, its log and its socket
	// Hasty servers do not wait for the disk. What was committed survives every
	// crash but that of the machine, which no test causes.
	Hasty bool
	bin   string
	as    *syscall.Credential // nil: as who runs the test
	err   error

	mu    sync.Mutex
	bases int
}

// Shared is one cluster for the tests of a package, started by the first that asks.
type Shared struct {
	Hasty bool
	once  sync.Once
	asked atomic.Bool
	c     *Cluster
}

// Get is the cluster.
func (s *Shared) Get() *Cluster {
	s.once.Do(func() {
		s.asked.Store(true)
		s.c = Start(s.Hasty)
	})
	return s.c
}

// Stop ends the cluster if a test has started it; TestMain calls it.
func (s *Shared) Stop() {
	if s.asked.Load() {
		s.c.Remove()
	}
}

// Start makes a cluster. Whatever went wrong fails the test that asks for a URL.
func Start(hasty bool) *Cluster {
	c := &Cluster{Hasty: hasty}
	c.err = c.start()
	return c
}

// Remove ends the server and deletes its folder.
func (c *Cluster) Remove() {
	if c.Dir == "" {
		return
	}
	_ = c.Kill()
	_ = os.RemoveAll(c.Dir)
}

// Kill ends the server at once, as a crash would: clients lose their connections,
// and what was committed is recovered at the next start.
func (c *Cluster) Kill() error { return c.control("stop", "-m", "immediate") }

// Up starts the server again.
func (c *Cluster) Up() error {
	options := fmt.Sprintf("-k %s -c listen_addresses='' -c max_connections=120", c.Dir)
	if c.Hasty {
		options += " -c fsync=off -c full_page_writes=off"
	}
	return c.control("start", "-o", options)
}

func (c *Cluster) start() error {
	var err error
	if c.bin, err = findPostgres(); err != nil {
		return err
	}
	if c.Dir, err = os.MkdirTemp("", "eo-pg"); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		if c.as, err = somebody(); err != nil {
			return err
		}
		if err := os.Chown(c.Dir, int(c.as.Uid), int(c.as.Gid)); err != nil {
			return err
		}
	}
	if err := c.run("initdb", "-D", c.Dir+"/data", "-A", "trust", "-U", "learn", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	return c.Up()
}

// control is pg_ctl, which waits until the server is up, or down.
func (c *Cluster) control(what string, more ...string) error {
	return c.run("pg_ctl", append([]string{what, "-w", "-t", "120", "-D", c.Dir + "/data", "-l", c.Dir + "/log"}, more...)...)
}

func (c *Cluster) run(tool string, args ...string) error {
	cmd := exec.Command(filepath.Join(c.bin, tool), args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+c.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	log, err := os.CreateTemp("", "eo-pg-out") // a pipe would stay open as long as the server runs
	if err != nil {
		return err
	}
	defer func() { _ = log.Close(); _ = os.Remove(log.Name()) }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w\n%s", tool, err, text)
	}
	return nil
}

// URL names a new database of the cluster.
func (c *Cluster) URL(t testing.TB) string {
	t.Helper()
	if c.err != nil {
		t.Fatalf("no PostgreSQL for the tests: %v", c.err)
	}
	c.mu.Lock()
	c.bases++
	name := "test" + strconv.Itoa(c.bases)
	c.mu.Unlock()
	if err := c.run("createdb", "-h", c.Dir, "-U", "learn", name); err != nil {
		t.Fatal(err)
	}
	return "postgres:///" + name + "?" + url.Values{"host": {c.Dir}, "user": {"learn"}}.Encode()
}

// findPostgres looks on the PATH and where Debian puts versions side by side.
func findPostgres() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.Sort(found)
	for _, f := range slices.Backward(found) {
		return filepath.Dir(f), nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", fmt.Errorf("initdb of PostgreSQL is neither on the PATH nor under /usr/lib/postgresql; install it: bash tools/deps.sh, or apt-get install postgresql")
}

func somebody() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody")
}
