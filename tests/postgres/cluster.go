// Package postgres starts a PostgreSQL of a test's own.
package postgres

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
	"syscall"
	"testing"
)

// Cluster is a PostgreSQL of the tests' own: a new one in a temporary folder, on
// a socket there, without a port. PostgreSQL does not run as root; then it runs
// as the user that Debian's package made, or as nobody.
type Cluster struct {
	dir string
	bin string
	as  *syscall.Credential // nil: as who runs the test
	err error

	mu    sync.Mutex
	bases int
}

// Start makes a cluster and starts it. That there is none, and why, is said by the
// first test that asks for a database.
func Start() *Cluster {
	c := &Cluster{}
	c.err = c.start()
	return c
}

func (c *Cluster) start() error {
	var err error
	if c.bin, err = findPostgres(); err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp("", "eo-pg"); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		if c.as, err = somebody(); err != nil {
			return err
		}
		if err := os.Chown(c.dir, int(c.as.Uid), int(c.as.Gid)); err != nil {
			return err
		}
	}
	if err := c.run("initdb", "-D", c.dir+"/data", "-A", "trust", "-U", "learn", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	return c.Up()
}

// Up starts the server that Down has stopped.
func (c *Cluster) Up() error {
	return c.control("start", "-o", fmt.Sprintf("-k %s -c listen_addresses='' -c max_connections=120", c.dir))
}

// Down ends the server at once, as a machine that fails would.
func (c *Cluster) Down() error { return c.control("stop", "-m", "immediate") }

// Remove ends the server and takes its files away.
func (c *Cluster) Remove() {
	if c != nil && c.dir != "" {
		_ = c.Down()
		_ = os.RemoveAll(c.dir)
	}
}

// control is pg_ctl, which waits until the server is up, or down.
func (c *Cluster) control(what string, more ...string) error {
	return c.run("pg_ctl", append([]string{what, "-w", "-t", "120", "-D", c.dir + "/data", "-l", c.dir + "/log"}, more...)...)
}

func (c *Cluster) run(tool string, args ...string) error {
	cmd := exec.Command(filepath.Join(c.bin, tool), args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+c.dir)
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
func (c *Cluster) URL(t *testing.T) string {
	t.Helper()
	if c.err != nil {
		t.Fatalf("no PostgreSQL for the tests: %v", c.err)
	}
	c.mu.Lock()
	c.bases++
	name := "test" + strconv.Itoa(c.bases)
	c.mu.Unlock()
	if err := c.run("createdb", "-h", c.dir, "-U", "learn", name); err != nil {
		t.Fatal(err)
	}
	return "postgres:///" + name + "?" + url.Values{"host": {c.dir}, "user": {"learn"}}.Encode()
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
