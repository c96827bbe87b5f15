// Command verifier-server is the self-hosted container: POST /v1/<action> without a key, a database or a connection to anywhere.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/modelverifier/verifier"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/telemetry"
)

var version, commit = verifier.Version(), verifier.Commit()

// The exit codes, as those of the command line.
const (
	exitUsage = 2
	exitFault = 4
)

type options struct {
	addr, logLevel string
	workers        int
	health         bool
	telemetry      telemetry.Config
}

func main() {
	tuneMemory(os.Getenv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parse(args, getenv, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var level slog.Level
	if err == nil {
		err = level.UnmarshalText([]byte(o.logLevel))
	}
	if err != nil {
		fmt.Fprintln(stderr, "verifier-server:", err)
		return exitUsage
	}
	if o.health {
		err = askHealth(ctx, o.addr)
	} else {
		err = serve(ctx, o, slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: level})))
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "verifier-server:", err)
	if address := (*httpapi.AddressError)(nil); errors.As(err, &address) {
		return exitUsage
	}
	return exitFault
}

func parse(args []string, getenv func(string) string, help io.Writer) (options, error) {
	o := options{addr: "127.0.0.1:8080"}
	if a := getenv("VERIFIER_ADDR"); a != "" {
		o.addr = a
	}
	f := flag.NewFlagSet("verifier-server", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.addr, "addr", o.addr, "where to listen: host:port, or unix:PATH for a socket that needs no network (also VERIFIER_ADDR)")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error; info writes a line for each request")
	f.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "actions that run at once")
	f.BoolVar(&o.health, "health", false, "ask the server at --addr whether it is well, and exit 0 or 4")
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(help, "verifier-server answers POST /v1/check, /v1/lint, /v1/plan and /v1/rank. It takes these options:")
		f.SetOutput(help)
		f.PrintDefaults()
	case err == nil && f.NArg() > 0:
		err = fmt.Errorf("takes options only, not %q", f.Arg(0))
	case err == nil && (o.workers < 1 || o.workers > 1024):
		err = errors.New("--workers must be from 1 to 1024")
	}
	if err == nil {
		o.telemetry, err = telemetry.FromEnv(getenv)
	}
	return o, err
}

// tuneMemory lets garbage gather for longer than Go would. A server at rest holds a few megabytes, so that Go's own measure,
// twice of what is live, would collect hundreds of times a second under load. Near the limit it collects as often as it must.
// Whoever sets Go's own variables is left alone.
func tuneMemory(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(128 << 20)
	}
}

// serve runs until the context ends.
func serve(ctx context.Context, o options, log *slog.Logger) error {
	l, err := listen(o.addr)
	if err != nil {
		return err
	}
	limits := httpapi.Defaults()
	limits.Workers = o.workers
	limits.SpareProcessor()
	executable, _ := os.Executable() // where it is not known, /version leaves its digest out
	build := httpapi.Build{Name: "verifier-server", Version: version, Commit: commit, Executable: executable}
	counts := telemetry.New(version)
	s := httpapi.New(httpapi.Config{Build: build, Actions: httpapi.Actions(), Limits: limits, Counts: counts, Telemetry: o.telemetry, Log: log})

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var sending sync.WaitGroup
	sending.Go(func() {
		counts.Run(ctx, o.telemetry, telemetry.Interval, func(err error) { log.Warn(err.Error()) })
	})
	port := 0
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		port = a.Port
	}
	log.Info("listening", "port", port, "version", version, "telemetry", o.telemetry.Mode())
	err = s.Serve(ctx, l)
	cancel()
	sending.Wait()
	return err
}
