package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/load"
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

A PyTorch source is read again after every edit, as if its constructor had made the layer so, and the loop goes on with what it does behind.
It passes only if it was followed to its end.

The model is left as it is; --output writes the repaired graph as JSON.`,
		Args: cobra.ExactArgs(1),
	})
	c.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := readInput(cmd, args[0], false)
		if err != nil {
			return err
		}
		g, err := in.verifiable("model")
		if err != nil {
			return err
		}
		r, err := edit.Follow(g, graph.LocalLimits, in.textCall(), again(cmd, args[0], in))
		if err != nil {
			return err
		}
		return printLoop(cmd, r, out)
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write the repaired graph to this `file`")
	return c
})

// again reads a PyTorch source with edits made to the layers that it constructs; nil for other models, whose graph is all there is.
func again(cmd *cobra.Command, name string, in *input) func([]action.Edit) (*graph.Graph, error) {
	if in.loaded == nil || in.loaded.Kind != hub.Python {
		return nil
	}
	return func(edits []action.Edit) (*graph.Graph, error) {
		m, err := loadEdited(cmd, name, edits)
		if errors.Is(err, load.ErrNotLayer) {
			return nil, nil
		}
		if err != nil {
			return nil, in.wrap(err)
		}
		return m.Graph, nil
	}
}

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
	if err == nil && len(r.Left) > 0 {
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
		p.line("passes after %s; structure %s became %s", steps(r), r.Before, r.After)
	case len(r.Left) == 0:
		p.line("not known after %s: nothing blocks in what was followed, and the rest was not: %s", steps(r), r.Withheld)
	default:
		p.line("blocked after %s: no finding that is left has an edit", steps(r))
	}
	return p.text()
}

func steps(r *edit.Repair) string {
	if len(r.Steps) == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", len(r.Steps))
}
