package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/mermaid"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/svg"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/infer"
)

// exports are the forms in which a model is written, in the order of the help.
var exports = []struct {
	name  string
	write func(res *infer.Result, force bool) (string, error)
}{
	{"torch", torch.Source},
	{"mermaid", picture(mermaid.Chart)},
	{"svg", picture(func(s *scene.Scene) (string, error) { return svg.Draw(s), nil })},
}

// picture draws a model whether it runs or not: a picture shows what is refused.
func picture(draw func(*scene.Scene) (string, error)) func(*infer.Result, bool) (string, error) {
	return func(res *infer.Result, _ bool) (string, error) {
		s, err := scene.Of(res)
		if err != nil {
			return "", err
		}
		return draw(s)
	}
}

func exportNames() string {
	names := make([]string, len(exports))
	for i := range exports {
		names[i] = exports[i].name
	}
	return strings.Join(names, ", ")
}

var _ = register(func() *cobra.Command {
	var to, file string
	var force bool
	cmd := &cobra.Command{
		Use:   "export FILE --to FORM",
		Short: "Write a model as a PyTorch file or as a picture",
		Long: `Writes a model in another format. torch is one PyTorch file that needs only torch 1.13 or later,
mermaid is a chart that GitHub and others draw, and svg is a picture. Pictures show repeated blocks
once, with their number.

A model that PyTorch does not run is not written as torch: the reasons are printed, and the exit
code is 1. With --force it is written with the reasons on top.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := readModel(cmd, args[0])
			if err != nil {
				return err
			}
			g.Normalize(catalog.Vocabulary)
			text, err := export(infer.Walk(g), to, force)
			var refused *torch.Refused
			if errors.As(err, &refused) {
				return notExported(cmd, refused)
			}
			if err != nil {
				return err
			}
			if file == "" {
				return printText(cmd, text)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				return fmt.Errorf("%w: %w", errWrite, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the form: "+exportNames())
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this file instead of standard output")
	cmd.Flags().BoolVar(&force, "force", false, "write also a model that PyTorch does not run")
	_ = cmd.MarkFlagRequired("to") // the flag is there
	return cmd
})

func export(res *infer.Result, to string, force bool) (string, error) {
	for i := range exports {
		if exports[i].name == to {
			return exports[i].write(res, force)
		}
	}
	return "", fmt.Errorf("--to is %q but takes one of %s", to, exportNames())
}

// notExported says why a model is not written.
func notExported(cmd *cobra.Command, refused *torch.Refused) error {
	var b strings.Builder
	for _, s := range refused.Findings {
		fmt.Fprintf(&b, "refused   %s\n", clean(s))
	}
	advice := "write it all the same with --force"
	if refused.Cycle {
		advice = "a cycle cannot be written"
	}
	fmt.Fprintf(&b, "not written: %s\n", advice)
	if _, err := fmt.Fprint(cmd.ErrOrStderr(), b.String()); err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return errGated
}
