// Package pgtest starts a real PostgreSQL for tests, from the server that the system has installed.
//
// A server lives in a folder of its own, is reached over a socket in that folder only, runs as somebody without rights, and
// ends with the test, however that ends. Only tests import this package.
package pgtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Server is a PostgreSQL that a test may stop, kill and start again.
type Server struct {
	bin, dir string
	attr     *syscall.SysProcAttr
	settings []string
	mu       sync.Mutex
	cmd      *exec.Cmd
	log      *journal
	ended    chan struct{}
	last     int // database
}

// journal is what a server says while it runs.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// String returns its last lines.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	said := j.text.Bytes()
	return string(said[max(0, len(said)-2000):])
}

var shared struct {
	once   sync.Once
	server *Server
	err    error
	main   bool

	prepare  sync.Once
	prepared string // a database
}

// Main runs a package's tests and then stops the server that they shared. TestMain calls it.
func Main(m *testing.M) {
	shared.main = true
	code := m.Run()
	if shared.server != nil {
		shared.server.remove()
	}
	os.Exit(code)
}

// New returns the address of an empty database, on a server that all tests of the package share. It does not wait for the disk,
// and the database goes with its test: a hundred of them would fill a small disk.
func New(tb testing.TB) string {
	tb.Helper()
	return common(tb).lent(tb, "")
}

// Prepared returns the address of such a database as prepare left the first one of the process: to make the tables of a service takes longer
// than most tests.
func Prepared(tb testing.TB, prepare func(address string) error) string {
	tb.Helper()
	s := common(tb)
	shared.prepare.Do(func() {
		name := s.create(tb, "")
		if err := prepare(s.Address(name)); err != nil {
			tb.Fatal(err)
		}
		shared.prepared = name
	})
	if shared.prepared == "" {
		tb.Fatal("pgtest: no database could be prepared")
	}
	return s.lent(tb, " TEMPLATE "+shared.prepared)
}

// common is the server that all tests of the package share.
func common(tb testing.TB) *Server {
	tb.Helper()
	if !shared.main {
		tb.Fatal("pgtest: the package needs a TestMain that calls pgtest.Main")
	}
	shared.once.Do(func() {
		shared.server, shared.err = start("fsync=off", "full_page_writes=off", "max_wal_size=64MB", "min_wal_size=32MB")
	})
	if shared.err != nil {
		missing(tb, shared.err)
	}
	return shared.server
}

// lent is the address of a database that goes with its test.
func (s *Server) lent(tb testing.TB, like string) string {
	tb.Helper()
	name := s.create(tb, like)
	tb.Cleanup(func() {
		if err := s.admin("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			tb.Errorf("%v\n%s", err, s.log)
		}
	})
	return s.Address(name)
}

// Start returns a server of the test's own, which writes to the disk as it would in production.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s, err := start()
	if err != nil {
		missing(tb, err)
	}
	tb.Cleanup(s.remove)
	return s
}

// missing skips a test that has no PostgreSQL. Where CI is set the test fails: what guards main does not skip.
func missing(tb testing.TB, err error) {
	tb.Helper()
	if os.Getenv("CI") != "" {
		tb.Fatalf("no PostgreSQL: %v", err)
	}
	tb.Skipf("no PostgreSQL: %v", err)
}

func start(settings ...string) (*Server, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		path, err := exec.LookPath("initdb")
		if err != nil {
			return nil, errors.New("initdb is not installed (Debian: apt-get install postgresql)")
		}
		found = []string{path}
	}
	s := &Server{bin: filepath.Dir(found[len(found)-1]), attr: &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}, settings: settings}
	var err error
	if s.dir, err = Folder("pgtest"); err != nil {
		return nil, err
	}
	if err := s.init(); err != nil {
		s.remove()
		return nil, err
	}
	if err := s.Start(); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// Folder makes a temporary folder that suits a server: its path is short, because that of a socket has at most 107 characters, and
// others than its owner can reach it. Where the usual place is not like that, it is in /tmp.
func Folder(name string) (string, error) {
	const longest, enter = 50, 0o001
	where := os.TempDir()
	if info, err := os.Stat(where); err != nil || len(where) > longest || info.Mode()&enter == 0 {
		where = "/tmp"
	}
	return os.MkdirTemp(where, name)
}

// init makes the cluster. The server refuses to run as root, who therefore becomes somebody else.
func (s *Server) init() error {
	if os.Getuid() == 0 {
		who, err := user.Lookup("postgres")
		if err != nil {
			if who, err = user.Lookup("nobody"); err != nil {
				return err
			}
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		s.attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.dir, uid, gid); err != nil {
			return err
		}
	}
	cmd := exec.Command(filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", "test", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
	cmd.Dir, cmd.SysProcAttr = s.dir, s.attr
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Start starts a server that was stopped or killed.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		return errors.New("pgtest: it runs already")
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		err := s.launch()
		if err == nil || time.Now().After(deadline) || !strings.Contains(err.Error(), "shared memory") {
			return err
		}
		time.Sleep(50 * time.Millisecond) // children of a killed server are still ending
	}
}

func (s *Server) launch() error {
	args := []string{"-D", s.data(), "-k", s.dir, "-h", "", "-c", "max_connections=100"}
	for _, o := range s.settings {
		args = append(args, "-c", o)
	}
	cmd, log := exec.Command(filepath.Join(s.bin, "postgres"), args...), &journal{}
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = s.dir, s.attr, log, log
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The kernel ends the server with the thread that started it, so that thread stays.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(ended)
		}
		runtime.UnlockOSThread()
	}()
	if err := <-started; err != nil {
		return err
	}
	s.cmd, s.log, s.ended = cmd, log, ended
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		select {
		case <-ended:
			s.cmd = nil
			return fmt.Errorf("postgres ended:\n%s", log)
		default:
		}
		err := s.admin("SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			s.end(syscall.SIGKILL)
			return fmt.Errorf("postgres does not answer: %w\n%s", err, log)
		}
	}
}

// Stop shuts the server down; connections are cut.
func (s *Server) Stop() { s.stop(syscall.SIGINT) }

// Kill ends the server at once, as a power cut does to a process.
func (s *Server) Kill() { s.stop(syscall.SIGKILL) }

// Freeze stops every process of the server where it stands: connections stay open, and nothing is answered. Thaw lets them go on.
func (s *Server) Freeze(tb testing.TB) { tb.Helper(); s.signalAll(tb, syscall.SIGSTOP) }

// Thaw ends a freeze.
func (s *Server) Thaw(tb testing.TB) { tb.Helper(); s.signalAll(tb, syscall.SIGCONT) }

// signalAll sends a signal to the server and then to its children, which one that is stopped does not make any more.
func (s *Server) signalAll(tb testing.TB, signal syscall.Signal) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	pid := s.cmd.Process.Pid
	if err := syscall.Kill(pid, signal); err != nil {
		tb.Fatal(err)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		tb.Fatal(err)
	}
	for _, word := range strings.Fields(string(children)) {
		child, err := strconv.Atoi(word)
		if err != nil {
			tb.Fatal(err)
		}
		_ = syscall.Kill(child, signal) // one that has ended meanwhile needs none
	}
}

func (s *Server) stop(signal syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		s.end(signal)
	}
}

func (s *Server) end(signal syscall.Signal) {
	_ = s.cmd.Process.Signal(signal)
	<-s.ended
	s.cmd = nil
}

func (s *Server) remove() {
	s.stop(syscall.SIGQUIT) // at once, but without leaving shared memory behind
	for range 100 {
		if os.RemoveAll(s.dir) == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Address returns that of a database on this server.
func (s *Server) Address(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {s.dir}, "user": {"test"}}.Encode()
}

// Database makes an empty database and returns its address.
func (s *Server) Database(tb testing.TB) string { tb.Helper(); return s.Address(s.create(tb, "")) }

// DatabaseIn makes an empty database whose tables are kept in another folder, on another disk perhaps.
func (s *Server) DatabaseIn(tb testing.TB, dir string) string {
	tb.Helper()
	if c := s.attr.Credential; c != nil {
		if err := os.Chown(dir, int(c.Uid), int(c.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := s.admin("CREATE TABLESPACE elsewhere LOCATION '" + dir + "'"); err != nil {
		tb.Fatal(err)
	}
	return s.Address(s.create(tb, " TABLESPACE elsewhere"))
}

// create makes an empty database and returns its name.
func (s *Server) create(tb testing.TB, where string) string {
	tb.Helper()
	s.mu.Lock()
	s.last++
	name := "test" + strconv.Itoa(s.last)
	s.mu.Unlock()
	if err := s.admin("CREATE DATABASE " + name + where); err != nil {
		tb.Fatalf("%v\n%s", err, s.log) // a full disk shows there only
	}
	return name
}

// Dump returns pg_dump's text of a database.
func (s *Server) Dump(tb testing.TB, address string) []byte {
	tb.Helper()
	out, err := exec.Command(filepath.Join(s.bin, "pg_dump"), address).Output()
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// Dump returns pg_dump's text of a database that New made.
func Dump(tb testing.TB, address string) []byte {
	tb.Helper()
	return shared.server.Dump(tb, address)
}

func (s *Server) admin(statement string) error {
	db, err := sql.Open("pgx", s.Address("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err = db.ExecContext(ctx, statement)
	return err
}
