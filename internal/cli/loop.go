package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
)

// loopBody is what loop prints as JSON.
type loopBody struct {
	*edit.Repair
	Model json.RawMessage `json:"model"`
}

var _ = register(func() *cobra.Command {
	var out string
	c := takesModels(&cobra.Command{
		Use:   "loop MODEL",
		Short: "Follow the findings: apply each edit until the check passes or none is left",
		Long: `Checks a model, makes the edit of the first finding that blocks and has one, and checks again, until nothing blocks or no edit is
left. It shows each step. Nothing is judged: it does what an agent would do that takes every fix at its word. A finding has an edit only
where one change of one number repairs it; what is left needs someone who knows what was meant.

The model is left as it is; --output writes the repaired graph as JSON.`,
		Args: cobra.ExactArgs(1),
	})
	c.RunE = func(cmd *cobra.Command, args []string) error {
		g, err := readVerifiable(cmd, args[0], "model")
		if err != nil {
			return err
		}
		r, err := edit.Follow(g, graph.LocalLimits)
		if err != nil {
			return err
		}
		return printLoop(cmd, r, out)
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write the repaired graph to this `file`")
	return c
})

func printLoop(cmd *cobra.Command, r *edit.Repair, out string) error {
	text := append(r.Graph.AppendJSON(nil), '\n')
	if out != "" {
		if err := os.WriteFile(out, text, 0o644); err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
	}
	var err error
	if wantsJSON(cmd) {
		err = printJSON(cmd, loopBody{r, text})
	} else {
		err = printText(cmd, loopText(r))
	}
	if err == nil && !r.Passes {
		err = errGated
	}
	return err
}

func loopText(r *edit.Repair) string {
	p := &page{}
	for i, s := range r.Steps {
		p.line("%d  %s  [%s]", i+1, s.Detail, s.Rule)
		p.line("   %s; blocking now: %d", s.Fix, s.Blocks)
	}
	for _, f := range r.Left {
		findingText(p, f)
	}
	switch {
	case r.Passes && len(r.Steps) == 0:
		p.line("passes: nothing blocks, nothing was changed")
	case r.Passes:
		p.line("passes after %d steps; structure %s became %s", len(r.Steps), r.Before, r.After)
	default:
		p.line("blocked after %d steps: no finding that is left has an edit", len(r.Steps))
	}
	return p.text()
}
