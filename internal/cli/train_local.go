package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/graph"
)

// localOptions are the flags of a run on this machine.
type localOptions struct {
	on   bool
	data string
}

func (o *localOptions) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.on, "local", false, "train on this machine, and send nothing")
	c.Flags().StringVar(&o.data, "data", "", "`folder` with the files of the dataset, for --local")
}

func (o *trainOptions) here(*cobra.Command, *graph.Graph) error { return errors.New("--local") }
