package cli

import (
	"fmt"
	"net"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench/env"
	"github.com/modelverifier/verifier/internal/bench/server"
)

var _ = registerBench(func() *cobra.Command {
	var addr string
	limits := env.Defaults
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the benchmark as an environment over HTTP: tasks, grades, episodes with steps and reward",
		Long: `Serves the benchmark until it is stopped: GET /tasks, GET /tasks/{id}, POST /grade, POST /episodes,
POST /episodes/{id}/steps and DELETE /episodes/{id}. There are no accounts: anyone who reaches the
address can use it, so it listens on this machine unless --addr is given. python/verifier/env.py is
a client in the style of Gymnasium. docs/bench.md has the bodies.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveBench(cmd, addr, limits) },
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8177", "the `address` to listen on; port 0 takes a free one")
	c.Flags().IntVar(&limits.Episodes, "episodes", limits.Episodes, "how `many` episodes may be open at once")
	c.Flags().IntVar(&limits.Steps, "steps", limits.Steps, "how `many` steps an episode has")
	c.Flags().DurationVar(&limits.Idle, "idle", limits.Idle, "how `long` an idle episode stays before another may replace it; 0: forever")
	return c
})

func serveBench(cmd *cobra.Command, addr string, limits env.Limits) error {
	const most = 10_000
	switch {
	case limits.Episodes < 1 || limits.Episodes > most:
		return fmt.Errorf("--episodes is %d but must be from 1 to %d", limits.Episodes, most)
	case limits.Steps < 1 || limits.Steps > most:
		return fmt.Errorf("--steps is %d but must be from 1 to %d", limits.Steps, most)
	case limits.Idle < 0:
		return fmt.Errorf("--idle is %v but must not be negative", limits.Idle)
	}
	ctx, stop := signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("--addr: cannot listen on %s: %w; 127.0.0.1:0 takes a free port", addr, err)
	}
	if err := printText(cmd, "The environment is at http://"+l.Addr().String()+"\nCtrl-C stops it.\n"); err != nil {
		_ = l.Close()
		return err
	}
	return server.New(limits).Serve(ctx, l)
}
