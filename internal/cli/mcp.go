package cli

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/mcp"
)

var _ = register(func() *cobra.Command {
	var root string
	var write, bench bool
	c := &cobra.Command{
		Use:   "mcp [FILE]",
		Short: "Serve the verifier to agents: an MCP server over standard input and output",
		Long: `Serves check, lint, plan, rank, fit, describe, import, export and catalog as tools of the Model Context Protocol, with graphs, pictures,
rules and types as resources. It needs no network and no account. Tools take a graph, or a path inside --root; nothing outside is read.
FILE, inside the root too, is the model that is meant where none is named; clients that subscribe are told when it changes.

With --write there is also edit, which changes graph files inside the root. With --bench there are the tasks of the benchmark, too: bench_tasks,
bench_grade, bench_episode and bench_step. Where a hosted service and a key are configured, by --server or
` + client.URLVariable + `, and ` + client.KeyVariable + `, there are also train and job, which book runs on the organisation's account.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			config := mcp.Config{Root: root, Write: write, Bench: bench, Version: Version, Log: cmd.ErrOrStderr()}
			if len(args) > 0 {
				config.File = args[0]
			}
			var err error
			if config.Remote, err = configured(cmd); err != nil {
				return err
			}
			s, err := mcp.New(config)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return s.Run(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&root, "root", ".", "the `folder` that paths stay inside")
	remoteFlags(c)
	c.Flags().BoolVar(&write, "write", false, "let clients change graph files inside the root")
	c.Flags().BoolVar(&bench, "bench", false, "serve the tasks, grades and episodes of the benchmark, too")
	return c
})
