package cli

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/lsp"
)

var _ = register(func() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve the verifier to editors: a language server over standard input and output",
		Long: `Serves the Language Server Protocol to an editor: findings on the lines of PyTorch sources, graphs,
.verifier.yml and launch commands, tensor shapes behind the statements of forward, costs on hover,
and quick fixes. No code of the model is run, and nothing outside of a file's repository is read.
docs/editors.md explains the set-up of editors.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return lsp.New(lsp.Config{Version: Version, Policy: names(cmd), Log: cmd.ErrOrStderr()}).Run(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
})
