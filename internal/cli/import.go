package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/quantity"
)

// importBody is what import prints as JSON.
type importBody struct {
	Kind     hub.Kind         `json:"kind"`
	ID       string           `json:"id,omitempty"`
	Revision string           `json:"revision,omitempty"`
	Type     string           `json:"type,omitempty"`
	Params   *int64           `json:"params"`         // null where the constructor of a source raises: nothing is known of its weights
	Withheld []string         `json:"paramsWithheld"` // components whose weights are not in params
	Tensors  int              `json:"tensors"`
	Edges    load.Edges       `json:"edges"`
	Weights  *importer.Report `json:"weights,omitempty"`
	Notes    []string         `json:"notes"`
	Model    json.RawMessage  `json:"model"`
}

var _ = register(func() *cobra.Command {
	var out string
	c := takesModels(&cobra.Command{
		Use:   "import MODEL",
		Short: "Read a model of any format and print its graph",
		Long: `Reads a model and prints its graph as JSON, or writes it to a file. The kind of model, its exact
number of parameters, and differences between its description and its weight files go to standard
error. --json prints all of that and the graph as one object.

` + references,
		Args: cobra.ExactArgs(1),
	})
	c.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := loadModel(cmd, args[0])
		if err != nil {
			return (&input{name: args[0]}).wrap(err)
		}
		if m.Graph == nil {
			return errors.New("this is a request to the HTTP service and not a model; its model can be checked as it is")
		}
		if err := printImport(cmd, m, out); err != nil {
			return err
		}
		return complete(cmd, m)
	}
	requiresComplete(c)
	c.Flags().StringVarP(&out, "out", "o", "", "write the graph to this `file`")
	c.Flags().Bool("trace", false, "run a PyTorch source in your own Python and record what it does, instead of reading it")
	c.Flags().String("python", "python3", "the `interpreter` that --trace runs, with PyTorch installed")
	c.Flags().Int64("seq-len", 0, "tokens of a text sample, instead of the longest that the model accepts")
	return c
})

func printImport(cmd *cobra.Command, m *load.Model, out string) error {
	withheld := []string{}
	if m.Params < 0 && (m.Kind != hub.Python || len(m.Withheld) > 0) {
		g := m.Graph.Clone()
		g.Normalize(catalog.Vocabulary)
		walked := infer.Walk(g)
		m.Params, withheld = walked.Params, walked.ParamsWithheld()
	}
	text := append(m.Graph.AppendJSON(nil), '\n')
	if out != "" {
		if err := os.WriteFile(out, text, 0o644); err != nil {
			return err
		}
	}
	if wantsJSON(cmd) {
		notes := append([]string{}, m.Notes...)
		return printJSON(cmd, importBody{m.Kind, m.ID, m.Revision, m.Type, counted(m), withheld, len(m.Tensors), m.Edges, m.Weights, notes, text})
	}
	fmt.Fprint(cmd.ErrOrStderr(), importText(m, withheld))
	if out != "" {
		return nil
	}
	return printText(cmd, string(text))
}

// counted is the number of weights, nil where it is not known.
func counted(m *load.Model) *int64 {
	if m.Params < 0 {
		return nil
	}
	return &m.Params
}

// importText says what was imported.
func importText(m *load.Model, withheld []string) string {
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s%s\n", label, clean(fmt.Sprintf(format, args...)))
	}
	what := string(m.Kind)
	if m.Type != "" {
		what = m.Type + ", from " + what
	}
	if m.ID != "" {
		what += " " + m.ID
	}
	if m.Partly != "" {
		line("partly", "%s", m.Partly)
	}
	line("model", "%s", what)
	if m.Revision != "" {
		line("revision", "%s", m.Revision)
	}
	switch n := counted(m); {
	case n == nil:
		line("weights", "not known")
	case len(withheld) > 0:
		line("weights", "at least %s (%s), without those of %s, which are not known", quantity.Grouped(*n), quantity.Short(*n), strings.Join(withheld, ", "))
	default:
		line("weights", "%s (%s)", quantity.Grouped(*n), quantity.Short(*n))
	}
	line("graph", "%d components, %d connections", len(m.Graph.Components), m.Edges.Total)
	if m.Edges.Inferred > 0 {
		line("inferred", "%d connections could not be read: %d follow the order of construction, %d are merges that are not modelled",
			m.Edges.Inferred, m.Edges.ConstructionOrder, m.Edges.UnmodelledMerge)
	}
	if m.Weights != nil {
		line("stored", "%s", m.Weights)
	}
	for _, n := range m.Notes {
		line("note", "%s", n)
	}
	return b.String()
}
