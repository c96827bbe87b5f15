package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/lint"
)

var _ = register(func() *cobra.Command {
	return &cobra.Command{
		Use:   "lint FILE",
		Short: "List what every rule finds in a model",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := readModel(cmd, args[0])
			if err != nil {
				return err
			}
			result := lint.Run(&lint.Request{Model: g})
			if wantsJSON(cmd) {
				err = printJSON(cmd, result)
			} else {
				_, err = fmt.Fprint(cmd.OutOrStdout(), lintText(result))
			}
			if err == nil && result.Counts.Block > 0 {
				err = errGated
			}
			return err
		},
	}
})

func lintText(r *lint.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		where := "the graph"
		if f.Component != "" {
			where = f.ComponentName + " (" + f.ComponentType + ")"
		}
		fmt.Fprintf(&b, "%-5s  %s: %s  [%s]\n", f.Severity, where, f.Message, f.Rule)
		if f.Fix != "" {
			fmt.Fprintf(&b, "       fix: %s\n", f.Fix)
		}
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s\n", r.Verdict, plural(r.Counts.Block, "block"), plural(r.Counts.Warn, "warning"), plural(r.Counts.Info, "note"))
	return b.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
