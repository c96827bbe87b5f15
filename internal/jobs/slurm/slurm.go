// Package slurm runs jobs on a Slurm cluster, through sbatch, squeue, scancel, scontrol and sinfo. Scheduling is Slurm's.
//
// A job is known by its name, which holds our id and the attempt. Slurm's own number does not identify it: a controller that was killed
// gives the numbers of what it forgot to others. The token of a job is in a file of mode 0600, in a folder that the service and the
// nodes share. It is in no command line, no environment, not in the script that Slurm keeps, and in nothing that scontrol shows.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/jobs"
)

// Backend is a Slurm cluster.
type Backend struct {
	config   Config
	programs map[string]string
	folder   *os.Root
	user     string
	starting sync.Mutex // one looks for a job and submits it, and then the next

	mu     sync.Mutex
	seen   time.Time // when the cluster was asked for its cards
	offers jobs.Offers
	gres   map[string]string // of a card
	err    error
}

var _ jobs.Backend = (*Backend)(nil)

// New makes a backend of a configuration that Parse gave.
func New(c Config) (*Backend, error) {
	programs, err := find(c.Bin)
	if err != nil {
		return nil, err
	}
	who, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	folder, err := private(c.Folder)
	if err != nil {
		return nil, err
	}
	return &Backend{config: c, programs: programs, folder: folder, user: who.Uid}, nil
}

// Close gives up the folder.
func (b *Backend) Close() error { return b.folder.Close() }

// Name is slurm.
func (b *Backend) Name() string { return "slurm" }

// ids are those that our jobs have.
var ids = regexp.MustCompile(`^[a-z0-9]{1,64}$`)

// name is what a job is called in Slurm.
func name(job string, attempt int) string { return "mv-" + job + "-" + strconv.Itoa(attempt) }

var names = regexp.MustCompile(`^mv-[a-z0-9]{1,64}-\d{1,9}$`)

// Start submits a job, unless that was done before: then it returns what it was called then, however it went.
func (b *Backend) Start(ctx context.Context, t jobs.Ticket) (string, error) {
	if !ids.MatchString(t.Job) || t.Attempt < 1 {
		return "", fmt.Errorf("slurm: %q, attempt %d, cannot be in the name of a job", t.Job, t.Attempt)
	}
	called := name(t.Job, t.Attempt)
	b.starting.Lock()
	defer b.starting.Unlock()
	if number, err := b.number(ctx, called); err != nil || number != "" {
		return reference(number, called), err
	}
	args, err := b.arguments(ctx, t)
	if err != nil {
		return "", err
	}
	if err := b.keep(called, t.Token); err != nil {
		return "", fmt.Errorf("slurm: %w", err)
	}
	out, err := b.command(ctx, b.script(t), "sbatch", args...)
	if why, no := refused(err); no {
		b.forget(called)
		return "", &jobs.RefusedError{Reason: "Slurm: " + why}
	}
	if err != nil {
		return "", fmt.Errorf("slurm: %w", err)
	}
	number, _, _ := strings.Cut(strings.TrimSpace(out), ";") // a cluster's name may stand behind it
	if !numbers.MatchString(number) {
		return "", fmt.Errorf("slurm: sbatch wrote %.80q in the place of a number", out)
	}
	return reference(number, called), nil
}

var numbers = regexp.MustCompile(`^\d{1,10}$`)

// reference is Slurm's number, for people, and the name, which identifies a job.
func reference(number, called string) string {
	if number == "" {
		return ""
	}
	return number + " " + called
}

func parseReference(ref string) (number, called string, err error) {
	number, called, ok := strings.Cut(ref, " ")
	if !ok || !numbers.MatchString(number) || !names.MatchString(called) {
		return "", "", fmt.Errorf("slurm: %.80q is no reference", ref)
	}
	return number, called, nil
}

// number is Slurm's for the job of a name, the first where there are several, or nothing.
func (b *Backend) number(ctx context.Context, called string) (string, error) {
	out, err := b.command(ctx, "", "squeue", "--noheader", "--states=all", "--user="+b.user, "--name="+called, "--sort=i", "--format=%A %j")
	if err != nil {
		return "", fmt.Errorf("slurm: %w", err)
	}
	for line := range strings.Lines(out) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if numbers.MatchString(number) && strings.TrimSpace(rest) == called {
			return number, nil
		}
	}
	return "", nil
}

// Stop cancels what has a job's name, and removes its token.
func (b *Backend) Stop(ctx context.Context, ref string) error {
	_, called, err := parseReference(ref)
	if err != nil {
		return err
	}
	if _, err := b.command(ctx, "", "scancel", "--quiet", "--user="+b.user, "--name="+called); err != nil {
		return fmt.Errorf("slurm: %w", err)
	}
	b.forget(called)
	return nil
}

// Gone says why a job will not run any more, or nothing where it may.
func (b *Backend) Gone(ctx context.Context, ref string) (string, error) {
	number, called, err := parseReference(ref)
	if err != nil {
		return "", err
	}
	out, err := b.command(ctx, "", "scontrol", "--oneliner", "show", "job", number)
	var failed *commandError
	switch {
	case errors.As(err, &failed) && strings.Contains(failed.said, "Invalid job id specified"):
		b.forget(called)
		return "Slurm does not know the job any more", nil
	case err != nil:
		return "", fmt.Errorf("slurm: %w", err)
	}
	s, ok := parseShown(out)
	if !ok || s.name != called {
		b.forget(called)
		return "Slurm has lost the job", nil // and has given its number to another
	}
	why := s.gone()
	if why != "" {
		b.forget(called)
	}
	return why, nil
}

// token is the file of a job's token.
func token(called string) string { return called + ".token" }

// keep writes a token that only this user can read.
func (b *Backend) keep(called, secret string) error {
	b.sweep()
	fresh := called + ".fresh" // another service may have submitted the job just now, whose worker reads one token or the other
	_ = b.folder.Remove(fresh)
	f, err := b.folder.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(secret + "\n")
	if err == nil {
		err = f.Sync() // the node reads it over the network
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return b.folder.Rename(fresh, token(called))
}

func (b *Backend) forget(called string) { _ = b.folder.Remove(token(called)) }

// kept is how long the log of a job stays in the folder.
const kept = 30 * 24 * time.Hour

// sweep removes logs and tokens that are old.
func (b *Backend) sweep() {
	all, err := fs.ReadDir(b.folder.FS(), ".")
	if err != nil {
		return
	}
	for _, f := range all {
		base, ending, _ := strings.Cut(f.Name(), ".")
		if info, err := f.Info(); err == nil && names.MatchString(base) && (ending == "log" || ending == "token" || ending == "fresh") && time.Since(info.ModTime()) > kept {
			_ = b.folder.Remove(f.Name())
		}
	}
}
