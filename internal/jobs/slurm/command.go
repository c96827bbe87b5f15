package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// What one of Slurm's programs may take. With the controller away they give up by themselves after some seconds.
const (
	commandTime  = 30 * time.Second
	commandBytes = 4 << 20
)

// bounded keeps the beginning of what a program writes.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := commandBytes - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// commandError is that a program failed, with what it said.
type commandError struct {
	name, said string
	err        error
}

func (e *commandError) Error() string { return fmt.Sprintf("%s: %s (%v)", e.name, e.said, e.err) }
func (e *commandError) Unwrap() error { return e.err }

// command runs one of Slurm's programs. It gets nothing of the service's environment, in which there may be secrets.
func (b *Backend) command(ctx context.Context, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.programs[name], args...)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + b.config.Folder, "LC_ALL=C"}
	if b.config.SlurmConf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+b.config.SlurmConf)
	}
	cmd.Dir = "/"
	alone(cmd)
	cmd.WaitDelay = time.Second
	var out, said bounded
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", &commandError{name, oneLine(said.String()), err}
	}
	return out.String(), nil
}

// oneLine is what a program said on its standard error, without its own name.
func oneLine(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		_, rest, ok := strings.Cut(strings.TrimSpace(line), "error: ")
		if !ok {
			rest = strings.TrimSpace(line)
		}
		if rest != "" {
			lines = append(lines, rest)
		}
	}
	text := strings.Join(lines, "; ")
	return text[:min(len(text), 500)]
}

// find finds Slurm's programs.
func find(bin string) (map[string]string, error) {
	programs := map[string]string{}
	for _, name := range []string{"sbatch", "squeue", "scancel", "scontrol", "sinfo"} {
		named := name
		if bin != "" {
			named = filepath.Join(bin, name)
		}
		path, err := exec.LookPath(named)
		if err != nil {
			return nil, fmt.Errorf("slurm: %w", err)
		}
		programs[name] = path
	}
	return programs, nil
}

// private opens a folder, and sees that nobody else can put a token of theirs into it.
func private(folder string) (*os.Root, error) {
	info, err := os.Stat(folder)
	if err == nil && (!info.IsDir() || info.Mode()&0o022 != 0) {
		err = errFolder
	}
	if err != nil {
		return nil, fmt.Errorf("slurm: folder %s: %w", folder, err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	return root, nil
}

// away are beginnings of what Slurm says when it could not be asked, or has no time just now. Everything else is its answer.
var away = []string{"Unable to contact slurm controller", "Socket timed out", "Zero Bytes were transmitted", "Connection refused", "Communication connection failure",
	"Slurm temporarily unable", "Resource temporarily unavailable", "Slurm backup controller in standby mode", "Transport endpoint is not connected",
	"Protocol authentication error", "Unexpected message received", "Incompatible versions", "Job dependency problem", "I/O error writing script"}

// refused says whether sbatch brought the cluster's no.
func refused(err error) (string, bool) {
	var failed *commandError
	if !errors.As(err, &failed) || !errors.As(failed.err, new(*exec.ExitError)) {
		return "", false
	}
	const submission = "Batch job submission failed: "
	_, why, ok := strings.Cut(failed.said, submission)
	if !ok {
		return "", false
	}
	for _, s := range away {
		if strings.Contains(failed.said, s) {
			return "", false
		}
	}
	return why, true
}
