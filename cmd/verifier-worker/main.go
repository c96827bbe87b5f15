// Command verifier-worker trains models: on a machine with cards it leases jobs from a service and runs them, and it brings the
// datasets there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelverifier/verifier"
)

var version, commit = verifier.Version(), verifier.Commit()

// The exit codes, as those of the command line.
const (
	exitUsage = 2
	exitFault = 4
)

const usage = `verifier-worker trains models for a Model Verifier service.

  verifier-worker run --server URL    leases jobs and trains, until it is stopped
  verifier-worker data --dataset NAME brings a dataset: from a folder, or from who published it
  verifier-worker version

verifier-worker COMMAND --help lists the flags of a command.
`

// command is one of the words behind the program's name.
type command func(ctx context.Context, p *process, args []string) error

var commands = map[string]command{"run": serve, "data": bring, "version": printVersion}

// process is what a command has of the machine.
type process struct {
	getenv         func(string) string
	stdout, stderr io.Writer
}

// usageError is a fault of who called.
type usageError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], &process{os.Getenv, os.Stdout, os.Stderr})
	os.Exit(code)
}

func run(ctx context.Context, args []string, p *process) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		fmt.Fprint(p.stdout, usage)
		return 0
	}
	f, ok := commands[args[0]]
	if !ok {
		fmt.Fprintf(p.stderr, "verifier-worker: no command %q: there are run, data and version\n", args[0])
		return exitUsage
	}
	err := f(ctx, p, args[1:])
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, new(usageError)):
		fmt.Fprintln(p.stderr, "verifier-worker:", err)
		return exitUsage
	}
	fmt.Fprintln(p.stderr, "verifier-worker:", err)
	return exitFault
}

// parse reads flags, and prints them where help is asked for.
func parse(f *flag.FlagSet, p *process, args []string) error {
	f.SetOutput(io.Discard)
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(p.stdout)
		f.Usage()
		return err
	}
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("%q is no flag: verifier-worker %s --help lists them", f.Arg(0), f.Name())
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

func printVersion(_ context.Context, p *process, _ []string) error {
	_, err := fmt.Fprintln(p.stdout, "verifier-worker", version, commit)
	return err
}
