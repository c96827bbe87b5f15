package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/jobs"
)

// TestMain lets the test's own binary be a service that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("BE_A_SERVICE"); dir != "" {
		b, _ := backend(dir, On)
		b.Run(context.Background())
	}
	os.Exit(m.Run())
}

// office stands for jobs.Service.
type office struct {
	mu      sync.Mutex
	hired   int
	revoked bool
}

func (o *office) Hire(_ context.Context, name, backend string) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if name != "local-here" || backend != "local" {
		return "", fmt.Errorf("%s of %s", name, backend)
	}
	o.hired++
	return fmt.Sprint("mvw_token-", o.hired), nil
}

func (o *office) RevokeWorker(ctx context.Context, _ string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.revoked = true
	return ctx.Err()
}

func (o *office) OffersOf(context.Context, string) (jobs.Offers, error) {
	return jobs.Offers{CPU: true}, nil
}

// log is one that several goroutines write to.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.text.Write(p) }
func (l *log) String() string              { l.mu.Lock(); defer l.mu.Unlock(); return l.text.String() }

var said log

func backend(dir string, mode Mode) (*Backend, *office) {
	o := &office{}
	return &Backend{options: Options{Mode: mode, Program: filepath.Join(dir, "worker"), Python: filepath.Join(dir, "python"), Data: "/data", Folder: filepath.Join(dir, "private"),
		Server: "http://127.0.0.1:8080", Name: "local-here", Log: slog.New(slog.NewTextHandler(&said, nil))}, hire: o,
		wait: func(int) time.Duration { return 20 * time.Millisecond }, ends: time.Second}, o
}

// folder has a program in the place of verifier-worker and one in that of Python.
func folder(t *testing.T, worker, python string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"worker": worker, "python": python} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\ncd '"+dir+"'\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not happen\n%s", what, said.String())
		}
	}
}

func text(dir, name string) string { b, _ := os.ReadFile(filepath.Join(dir, name)); return string(b) }

// begin runs a backend until the test has ended, or its function is called.
func begin(t *testing.T, b *Backend) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { b.Run(ctx); close(done) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

const noting = `{ echo "$@"; cat "$5"; stat -c '%a' "$5" "$(dirname "$5")"; env; } >ran.tmp; mv ran.tmp ran
`

func TestTheWorkerHasItsTokenAndNoSecrets(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("VERIFIER_DATABASE_URL", "postgres://secret")
	dir := folder(t, noting+"trap 'echo ended >end; exit 0' TERM; echo hello >&2; while :; do sleep 0.05; done", "")
	b, o := backend(dir, On)
	stop := begin(t, b)
	eventually(t, "a start", func() bool { return text(dir, "ran") != "" && strings.Contains(said.String(), "said=hello") })
	got := text(dir, "ran")
	if !strings.HasPrefix(got, "run --server http://127.0.0.1:8080 --token-file "+dir+"/private/local-worker") || !strings.Contains(got, " --name local-here --cpu --data /data --python "+dir+"/python\nmvw_token-1\n600\n700\n") {
		t.Error(got)
	}
	if strings.Contains(got, "secret") || !strings.Contains(got, "PATH=") {
		t.Error("its environment is\n" + got)
	}
	stop()
	if left, err := os.ReadDir(filepath.Join(dir, "private")); err != nil || len(left) > 0 {
		t.Error("the token is left: ", left, err)
	}
	if text(dir, "end") == "" || !o.revoked {
		t.Error("the worker was not asked to end, or its token lives on")
	}
}

func TestAWorkerThatDiesIsStartedAgain(t *testing.T) {
	dir := folder(t, "cat \"$5\" >>tokens; exit 4", "")
	b, _ := backend(dir, On)
	stop := begin(t, b)
	eventually(t, "a third start", func() bool { return strings.Contains(text(dir, "tokens"), "mvw_token-3") })
	stop()
	for attempt, want := range map[int]time.Duration{0: time.Second, 1: 2 * time.Second, 5: 32 * time.Second, 6: time.Minute, 100: time.Minute} {
		if got := backoff(attempt); got != want {
			t.Errorf("behind %d it waits %v", attempt, got)
		}
	}
}

func TestAWorkerThatRefusesItsOptionsIsNotStartedAgain(t *testing.T) {
	dir := folder(t, "echo >>starts; exit 2", "")
	b, o := backend(dir, On)
	b.Run(t.Context())
	if text(dir, "starts") != "\n" || !o.revoked {
		t.Errorf("%q", text(dir, "starts"))
	}
}

func TestAWorkerThatDoesNotEndIsKilledWithItsChildren(t *testing.T) {
	dir := folder(t, "trap '' TERM; sleep 300 & echo $! >child; while :; do sleep 1; done", "")
	b, _ := backend(dir, On)
	stop := begin(t, b)
	eventually(t, "a start", func() bool { return text(dir, "child") != "" })
	stop()
	eventually(t, "the end of its child", func() bool { return !alive(t, text(dir, "child")) })
}

// alive says whether a process runs; one that has ended may still wait for somebody to ask how.
func alive(t *testing.T, pid string) bool {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestTheWorkerEndsWithAServiceThatIsKilled(t *testing.T) {
	dir := folder(t, "echo $$ >pid; trap 'echo >end; exit' TERM; while :; do sleep 0.05; done", "")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BE_A_SERVICE="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a start", func() bool { return text(dir, "pid") != "" })
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, "its end", func() bool { return text(dir, "end") != "" && !alive(t, text(dir, "pid")) })
}

func TestAutoStartsAWorkerWherePythonHasTorch(t *testing.T) {
	for python, starts := range map[string]bool{`[ "$*" = "-c import torch" ] && exit 0; exit 1`: true, "exit 1": false} {
		dir := folder(t, "echo >>starts; exit 2", python)
		b, o := backend(dir, Auto)
		b.Run(t.Context())
		if got := text(dir, "starts") != ""; got != starts || (o.hired > 0) != starts {
			t.Errorf("%s: started %v", python, got)
		}
	}
	dir := folder(t, "", "")
	for _, change := range []func(*Options){
		func(o *Options) { o.Mode = Off },
		func(o *Options) { o.Python = filepath.Join(dir, "nothing") },
		func(o *Options) { o.Program = filepath.Join(dir, "nothing") },
		func(o *Options) { o.Program = dir },
	} {
		b, o := backend(dir, Auto)
		change(&b.options)
		b.Run(t.Context())
		if o.hired > 0 {
			t.Errorf("%+v starts one", b.options)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "private")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestModesAreRead(t *testing.T) {
	for _, good := range []string{"auto", "on", "off"} {
		if m, err := ParseMode(good); err != nil || string(m) != good {
			t.Error(m, err)
		}
	}
	for _, bad := range []string{"", "yes", "ON"} {
		if _, err := ParseMode(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
