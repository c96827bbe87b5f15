package cli

import (
	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/load"
)

const completeFlag = "require-complete"

// requiresComplete adds the flag that fails on a model that was not read whole.
func requiresComplete(c *cobra.Command) {
	c.Flags().Bool(completeFlag, false, "exit with 1 where the model was not read completely: a source that was not read to its end, or unknown weights")
}

// complete fails where the flag asks for a whole model and this one is not. The answer was given before.
func complete(cmd *cobra.Command, m *load.Model) error {
	if !is(cmd, completeFlag) || m == nil {
		return nil
	}
	why := m.Incomplete()
	if why == "" {
		return nil
	}
	note(cmd, "--"+completeFlag+": the model was not read whole: "+why)
	return errGated
}
