// Package local is a worker that the service starts by itself, on its own machine, so that one program can train.
//
// It is the same verifier-worker that runs elsewhere, as a child process with a token made for it. It is started again when it dies, and
// ends with the service, however that ends. Its environment holds what Python needs and none of the service's secrets.
package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/jobs"
)

// Mode is whether a worker is started.
type Mode string

// Modes: where python3 has torch, always, never.
const (
	Auto Mode = "auto"
	On   Mode = "on"
	Off  Mode = "off"
)

// ParseMode reads one.
func ParseMode(s string) (Mode, error) {
	if m := Mode(s); m == Auto || m == On || m == Off {
		return m, nil
	}
	return "", fmt.Errorf("must be auto, on or off, not %q", s)
}

// Options is what a worker needs.
type Options struct {
	Mode    Mode
	Program string // path of verifier-worker; empty: beside the service's own
	Python  string // empty: python3
	Data    string // folder of the datasets; empty: the worker's own default
	Folder  string // of the service, in which a private one for the token is made; empty: the system's temporary folder
	Server  string // address under which the worker reaches the service on this machine
	Name    string // of the worker
	Log     *slog.Logger
}

// Backend is the worker on the service's machine.
type Backend struct {
	options Options
	hire    hirer
	wait    func(attempt int) time.Duration // before a start
	ends    time.Duration                   // that a worker has for its end
}

// hirer is what package jobs does for it.
type hirer interface {
	Hire(ctx context.Context, name, backend string) (token string, err error)
	RevokeWorker(ctx context.Context, name string) error
	OffersOf(ctx context.Context, backend string) (jobs.Offers, error)
}

var (
	_ jobs.Backend = (*Backend)(nil)
	_ hirer        = (*jobs.Service)(nil)
)

// New makes a backend. Run starts its worker.
func New(o Options, service *jobs.Service) *Backend {
	return &Backend{options: o, hire: service, wait: backoff, ends: 10 * time.Second}
}

// Name is local.
func (b *Backend) Name() string { return jobs.Local }

// Offers is what the worker said of itself.
func (b *Backend) Offers(ctx context.Context) (jobs.Offers, error) {
	return b.hire.OffersOf(ctx, jobs.Local)
}

// Start has nothing to do: the worker asks.
func (b *Backend) Start(context.Context, jobs.Ticket) (string, error) { return "", nil }

// Stop has nothing to do: the worker is told with its next heartbeat.
func (b *Backend) Stop(context.Context, string) error { return nil }

// Gone knows nothing that the lease does not.
func (b *Backend) Gone(context.Context, string) (string, error) { return "", nil }

// torchTime is what the first import of torch may take, on a slow disk.
const torchTime = 2 * time.Minute

// Run starts the worker, and starts it again when it ends, until ctx does. It returns at once where there is nothing to start.
func (b *Backend) Run(ctx context.Context) {
	program, err := b.find(ctx)
	if err != nil {
		level := slog.LevelWarn
		if b.options.Mode == Auto {
			level = slog.LevelInfo
		}
		if ctx.Err() == nil && b.options.Mode != Off {
			b.options.Log.Log(ctx, level, "no local worker is started", "reason", err)
		}
		return
	}
	for attempt := 0; ; {
		began := time.Now()
		err := b.once(ctx, program)
		if ctx.Err() != nil {
			break
		}
		if wrong := new(exec.ExitError); errors.As(err, &wrong) && wrong.ExitCode() == exitUsage {
			b.options.Log.Error("the local worker does not take its options, and is not started again", "program", program)
			break
		}
		if time.Since(began) > steady {
			attempt = 0
		}
		wait := b.wait(attempt)
		attempt++
		b.options.Log.Warn("the local worker ended", "reason", err, "starts_again_in", wait.String())
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	// Nobody is to be sent to a worker that has ended. The service's own context has ended, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := b.hire.RevokeWorker(ctx, b.options.Name); err != nil && !errors.Is(err, jobs.ErrNotFound) {
		b.options.Log.Warn("the local worker's token could not be revoked", "error", err)
	}
}

// exitUsage is the code with which our programs refuse their options.
const exitUsage = 2

// steady is how long a worker has run whose end is no sign that the next one will fail, too.
const steady = 5 * time.Minute

func backoff(attempt int) time.Duration { return min(time.Second<<min(attempt, 10), time.Minute) }

// find finds what is to be started, or says why nothing is.
func (b *Backend) find(ctx context.Context) (string, error) {
	if b.options.Mode == Off {
		return "", errors.New("it is switched off")
	}
	program := b.options.Program
	if program == "" {
		own, err := os.Executable()
		if err != nil {
			return "", err
		}
		program = filepath.Join(filepath.Dir(own), "verifier-worker"+filepath.Ext(own))
	}
	if info, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("verifier-worker is not beside this program: %w", err)
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a program", program)
	}
	if b.options.Mode == Auto {
		if err := b.torch(ctx); err != nil {
			return "", err
		}
	}
	return program, nil
}

// systemPython is the one for which Debian's packages are installed, whatever else stands first in the path.
const systemPython = "/usr/bin/python3"

// torch finds a Python that has torch, or says why there is none.
func (b *Backend) torch(ctx context.Context) error {
	if b.options.Python != "" {
		return hasTorch(ctx, b.options.Python)
	}
	err := hasTorch(ctx, "python3")
	if err != nil && hasTorch(ctx, systemPython) == nil {
		b.options.Python, err = systemPython, nil
	}
	return err
}

// hasTorch says why a Python cannot train.
func hasTorch(ctx context.Context, python string) error {
	path, err := exec.LookPath(python)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, torchTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-c", "import torch")
	cmd.Env, cmd.WaitDelay = environment(os.Environ()), time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("%s has no torch (%w): install it, or give --local-worker off", path, err)
	}
	return nil
}

// allowed are the variables that Python, torch and its drivers read, and the system's own. Secrets are in none of them.
var allowed = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "PYENV_ROOT", "PYENV_VERSION", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV",
	"CONDA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "OMP_NUM_THREADS",
	"XDG_CACHE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR"}

func environment(all []string) []string {
	var out []string
	for _, v := range all {
		if name, _, _ := strings.Cut(v, "="); slices.Contains(allowed, name) {
			out = append(out, v)
		}
	}
	return out
}

// once runs the worker until it ends.
func (b *Backend) once(ctx context.Context, program string) error {
	token, err := b.hire.Hire(ctx, b.options.Name, jobs.Local)
	if err != nil {
		return err
	}
	if b.options.Folder != "" {
		if err := os.MkdirAll(b.options.Folder, 0o700); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(b.options.Folder, "local-worker") // of mode 0700
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		return err
	}
	args := []string{"run", "--server", b.options.Server, "--token-file", file, "--name", b.options.Name, "--cpu"}
	for _, o := range [][2]string{{"--data", b.options.Data}, {"--python", b.options.Python}} {
		if o[1] != "" {
			args = append(args, o[0], o[1])
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.WaitDelay = environment(os.Environ()), time.Second
	cmd.Stdout = io.Discard
	if err := b.supervise(ctx, cmd); err != nil {
		return err
	}
	return errors.New("it ended by itself")
}

// lineMost is how much of a line of the worker's goes into the log.
const lineMost = 4 << 10

// tell writes what the worker says into the service's log.
func (b *Backend) tell(r io.Reader) {
	lines := bufio.NewReaderSize(r, lineMost)
	for {
		line, more, err := lines.ReadLine()
		if text := strings.TrimSpace(string(line)); text != "" {
			b.options.Log.Info("local worker", "said", text)
		}
		for more && err == nil { // the rest of a line that is too long
			_, more, err = lines.ReadLine()
		}
		if err != nil {
			return
		}
	}
}

// supervise runs a command, asks it to end when ctx does, and kills it where it does not.
func (b *Backend) supervise(ctx context.Context, cmd *exec.Cmd) error {
	said, says := io.Pipe()
	cmd.Stderr = says
	told := make(chan struct{})
	go func() { b.tell(said); close(told) }()
	defer func() { _ = says.Close(); <-told }()
	started, ended := make(chan error, 1), make(chan error, 1)
	go run(cmd, started, ended)
	if err := <-started; err != nil {
		return err
	}
	b.options.Log.Info("the local worker is started", "pid", cmd.Process.Pid)
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	end(cmd)
	select {
	case err := <-ended:
		return err
	case <-time.After(b.ends):
		kill(cmd)
		return <-ended
	}
}
