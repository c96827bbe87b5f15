// Command verifier-hosted is the service: /api/v1 with keys, accounts, shared plans and the published pages, on an embedded
// database or on PostgreSQL.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/modelverifier/verifier"
	"github.com/modelverifier/verifier/internal/store"
)

var version, commit = verifier.Version(), verifier.Commit()

// The exit codes, as those of the command line.
const (
	exitUsage = 2
	exitFault = 4
)

// command is what the program does. Its function gets what stands behind its name.
type command struct {
	name, takes, doc string
	run              func(ctx context.Context, p *program, args []string) error
}

// commands are all of them; the first is the one that need not be named.
var commands []command

func init() {
	commands = []command{
		{"serve", "", "answer requests, until a signal", serve},
		{"migrate", "", "bring the database to what this version needs; serve does it too", migrate},
		{"backup", "FILE", "write everything into a file, while the service runs; - is the standard output", backup},
		{"restore", "FILE", "fill an empty database from such a file; - is the standard input", restore},
		{"create-admin", "", "print a link that makes another organisation and its owner", createAdmin},
		{"reset-password", "EMAIL", "print a link that gives somebody a new password", resetPassword},
		{"limits", "ORG [NAME=VALUE…]", "print what an organisation, by id or name, may train, or change some of it", limits},
		{"worker-add", "NAME", "print the token of a new worker, once", workerAdd},
		{"worker-revoke", "NAME", "end the token of a worker", workerRevoke},
		{"workers", "", "list the workers, and what they offer", workers},
		{"doctor", "", "look at everything that the service needs, and say what to do about what is wrong", runDoctor},
	}
}

// program is one run of it.
type program struct {
	*config
	stdin  io.Reader
	stdout io.Writer
	log    *slog.Logger
	getenv func(string) string
}

func main() {
	tuneMemory(os.Getenv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	c, rest, err := parse(args, getenv, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var chosen *command
	if err == nil {
		chosen, rest, err = choose(rest)
	}
	if err != nil {
		fmt.Fprintln(stderr, "verifier-hosted:", err)
		return exitUsage
	}
	p := &program{c, stdin, stdout, slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: c.level})), getenv}
	if err := chosen.run(ctx, p, rest); err != nil {
		fmt.Fprintln(stderr, "verifier-hosted:", err)
		if errors.As(err, &usageError{}) {
			return exitUsage
		}
		return exitFault
	}
	return 0
}

// usageError is what whoever starts the program can mend by other options: an address that is taken, a folder that cannot be used.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// choose finds the command that was named, and sees that it has what it takes.
func choose(args []string) (*command, []string, error) {
	if len(args) == 0 {
		return &commands[0], nil, nil
	}
	for i := range commands {
		c := &commands[i]
		if c.name != args[0] {
			continue
		}
		if least, most := c.arity(); len(args)-1 < least || len(args)-1 > most {
			return nil, nil, fmt.Errorf("%s takes %s, got %d", c.name, cmp.Or(c.takes, "nothing"), len(args)-1)
		}
		return c, args[1:], nil
	}
	return nil, nil, fmt.Errorf("there is no command %q: see --help", args[0])
}

// arity is how many arguments a command takes: a word each, those in brackets any number.
func (c *command) arity() (least, most int) {
	words, rest, more := strings.Cut(c.takes, "[")
	least = len(strings.Fields(words))
	if more = more && strings.Contains(rest, "…"); more {
		return least, math.MaxInt
	}
	return least, least
}

// tuneMemory lets garbage gather for longer than Go would, up to a limit that leaves room for hashing passwords. Whoever sets
// Go's own variables is left alone.
func tuneMemory(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(384 << 20)
	}
}

// open opens the database, and makes its folder.
func (c *config) open(ctx context.Context) (*store.Store, error) {
	if c.data != "" {
		if err := os.MkdirAll(c.data, 0o700); err != nil {
			return nil, c.blame(err)
		}
	}
	s, err := store.Open(ctx, c.database)
	return s, c.blame(err)
}

// blame names the option that chose the embedded database which cannot be used. One elsewhere may be away for a while, which no
// option mends.
func (c *config) blame(err error) error {
	if err == nil || c.data == "" || errors.Is(err, context.Canceled) {
		return err
	}
	return usageError{fmt.Errorf("the data folder %s cannot be used: %w; choose another with --data or VERIFIER_DATA", c.data, err)}
}

// ready opens the database and brings it to what this version needs.
func (c *config) ready(ctx context.Context) (*store.Store, error) {
	s, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Migrate(ctx); err != nil {
		return nil, errors.Join(c.blame(err), s.Close())
	}
	return s, nil
}
