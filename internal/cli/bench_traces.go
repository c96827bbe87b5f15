package cli

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench/agent"
)

var _ = registerBench(func() *cobra.Command {
	var o runOptions
	var passed bool
	c := &cobra.Command{
		Use:   "traces",
		Short: "Let an agent solve tasks, and print each of its steps, with reason and grade",
		Long: `Gives an agent tasks as run does, and prints one JSON value a line: the task, every step with the
change, its reason and the findings after it, the answer and its grade. The same seed gives the same
lines, unless a provider is asked.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := o.run(cmd, func(outcome *agent.Outcome) error {
				if passed && !outcome.Grade.Passed {
					return nil
				}
				return printLine(cmd, outcome)
			})
			return err
		},
	}
	o.flags(c, 5)
	c.Flags().BoolVar(&passed, "passed", false, "leave out traces that do not pass")
	return c
})

// printLine writes a value as one line of JSON, whoever reads it.
func printLine(cmd *cobra.Command, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return printText(cmd, b.String())
}
