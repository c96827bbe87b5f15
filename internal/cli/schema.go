package cli

import (
	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/attest"
)

var _ = register(func() *cobra.Command {
	return &cobra.Command{
		Use:       "schema attestation",
		Short:     "Print the JSON schema of the records that --attest writes",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"attestation"},
		RunE:      func(cmd *cobra.Command, _ []string) error { return printText(cmd, string(attest.SchemaJSON())) },
	}
})
