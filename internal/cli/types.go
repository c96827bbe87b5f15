package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/catalog"
)

var _ = register(func() *cobra.Command {
	return &cobra.Command{
		Use:   "types [TYPE]",
		Short: "List the component types, or show the page of one",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return typeNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listTypes(cmd)
			}
			t := catalog.Lookup(catalog.Canonical(args[0]))
			if t == nil {
				if near := catalog.Nearest(args[0]); near != "" {
					return fmt.Errorf("there is no type %q; did you mean %s?", args[0], near)
				}
				return fmt.Errorf("there is no type %q; verifier types lists them", args[0])
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, typeBody(t))
			}
			return printText(cmd, t.Page())
		},
	}
})

func listTypes(cmd *cobra.Command) error {
	if wantsJSON(cmd) {
		bodies := []typeJSON{}
		for _, t := range catalog.Types() {
			bodies = append(bodies, typeBody(t))
		}
		return printJSON(cmd, bodies)
	}
	tw := newTable("type", "group", "what it does")
	for _, t := range catalog.Types() {
		tw.add(t.ID, string(t.Group), t.Title)
	}
	return printText(cmd, fmt.Sprintf("%s\n\n%d types; verifier types TYPE shows one\n", tw, len(catalog.Types())))
}

type typeJSON struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Doc      string            `json:"doc"`
	Source   string            `json:"source"`
	Group    catalog.Group     `json:"group"`
	Aliases  []string          `json:"aliases"`
	Params   []paramJSON       `json:"params"`
	Inputs   string            `json:"inputs"`
	Weights  string            `json:"weights,omitempty"`
	FLOPs    string            `json:"flops,omitempty"`
	Torch    string            `json:"torch,omitempty"`
	Examples []catalog.Example `json:"examples"`
}

type paramJSON struct {
	Name     string `json:"name"`
	Takes    string `json:"takes"`
	Absent   string `json:"absent"`
	Required bool   `json:"required"`
	Doc      string `json:"doc"`
}

func typeBody(t *catalog.Type) typeJSON {
	out := typeJSON{
		ID: t.ID, Title: t.Title, Doc: t.Doc, Source: t.Source, Group: t.Group, Aliases: append([]string{}, t.Aliases...), Params: []paramJSON{},
		Inputs: t.Inputs.String(), Weights: t.WeightFormula, FLOPs: t.FLOPsFormula, Torch: t.Torch, Examples: t.Examples,
	}
	for i := range t.Params {
		p := &t.Params[i]
		out.Params = append(out.Params, paramJSON{p.Name, p.Takes(), p.Absent(), p.Required(), p.Doc})
	}
	return out
}

func typeNames() []string {
	var out []string
	for _, t := range catalog.Types() {
		out = append(out, t.ID)
	}
	return out
}
