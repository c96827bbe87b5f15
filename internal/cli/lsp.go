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
		Long: `Speaks the Language Server Protocol with an editor: findings on the lines of PyTorch sources, graphs, .verifier.yml and launch commands as
one types, tensor shapes behind the statements of forward, what a line costs on hover, and the changes that mend a finding. Nothing is run, and
nothing outside of a file's repository is read. docs/editors.md says how editors are set up.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return lsp.New(lsp.Config{Version: Version, Policy: names(cmd), Log: cmd.ErrOrStderr()}).Run(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
})
