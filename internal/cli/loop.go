package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/load"
)

// loopBody is what loop prints as JSON.
type loopBody struct {
	*edit.Repair
	Model json.RawMessage `json:"model"`
	// Patches are the changes of a PyTorch source that come to the same, or to more.
	Patches []fix.Patch `json:"patches,omitempty"`
}

var _ = register(func() *cobra.Command {
	var out string
	c := takesModels(&cobra.Command{
		Use:   "loop MODEL",
		Short: "Apply the findings' edits until the check passes or none is left",
		Long: `Checks a model, applies the edit of the first blocking finding that has one, and checks again, until
nothing blocks or no edit is left. It prints each step. A finding has an edit only where one change
certainly repairs it. What is left needs someone who knows the intended model.

A PyTorch source is read again after every edit, as if its constructor had made the layer with that
number. It passes only if it was read to its end. The patches of the source that fix makes are
below the steps. The model is not changed; --output writes the repaired graph as JSON.`,
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
		patches, err := loopPatches(cmd, args[0], in)
		if err != nil {
			return err
		}
		return printLoop(cmd, r, patches, out)
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

// loopPatches are the changes of a PyTorch source that fix would make; none for other models, or where none is certain.
func loopPatches(cmd *cobra.Command, name string, in *input) ([]fix.Patch, error) {
	if in.loaded == nil || in.loaded.Kind != hub.Python {
		return nil, nil
	}
	target, err := fixTarget(cmd, name)
	if err != nil {
		return nil, err
	}
	var trees []*tree
	if err := addTo(&trees, in, target, ""); err != nil {
		return nil, err
	}
	defer func() { _ = trees[0].dir.Close() }() // it was read
	r, err := fix.Propose(cmdContext(cmd), trees[0].request)
	if err != nil {
		return nil, in.wrap(err)
	}
	return r.Patches, trees[0].shown(&r)
}

func printLoop(cmd *cobra.Command, r *edit.Repair, patches []fix.Patch, out string) error {
	text := append(r.Graph.AppendJSON(nil), '\n')
	if out != "" {
		if err := os.WriteFile(out, text, 0o644); err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
	}
	var err error
	if wantsJSON(cmd) {
		err = printJSON(cmd, loopBody{r, text, patches})
	} else {
		err = printText(cmd, loopText(r, patches))
	}
	if err == nil && len(r.Left) > 0 {
		err = errGated
	}
	return err
}

func loopText(r *edit.Repair, patches []fix.Patch) string {
	p := &page{}
	for i, s := range r.Steps {
		p.line("%d  %s  [%s]", i+1, s.Detail, s.Rule)
		p.line("   %s; blocking now: %d", s.Fix, s.Blocks)
	}
	for _, f := range r.Left {
		findingText(p, f)
	}
	for _, x := range patches {
		p.line("%s: %s", fmt.Sprintf("%s:%d", x.Path, x.Line), x.Why)
		diffText(p, x.Diff)
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
