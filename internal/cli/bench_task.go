package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = registerBench(func() *cobra.Command {
	var reference bool
	c := &cobra.Command{
		Use:   "task ID",
		Short: "Show one task: what it asks, its constraints and its start",
		Long: `Shows a task by its id, such as repair/test/17: the prompt, and the graph to start from in the short
notation. --json prints what agents get. --reference adds an answer that passes, which no agent is
shown.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			problem, err := bench.Find(args[0])
			switch {
			case err != nil:
				return err
			case wantsJSON(cmd) && reference:
				return printJSON(cmd, problem)
			case wantsJSON(cmd):
				return printJSON(cmd, problem.Task)
			}
			text, err := taskText(problem, reference)
			if err != nil {
				return err
			}
			return printText(cmd, text)
		},
	}
	c.Flags().BoolVar(&reference, "reference", false, "add an answer that passes")
	return c
})

func taskText(problem *bench.Problem, reference bool) (string, error) {
	p := &page{}
	p.line("%s", problem.Task.ID)
	p.WriteString("\n")
	for line := range strings.Lines(problem.Task.Prompt) {
		p.line("%s", strings.TrimSuffix(line, "\n"))
	}
	if start := problem.Task.Start; len(start) > 0 && string(start) != "null" {
		g, err := graph.Decode(start, "start", bench.Limits)
		if err != nil {
			return "", err
		}
		p.WriteString("\nStart:\n\n")
		notationText(p, g)
	}
	if reference {
		g, err := bench.Apply(&problem.Task, problem.Reference)
		if err != nil {
			return "", err
		}
		p.WriteString("\nAn answer that passes:\n\n")
		notationText(p, g)
	}
	return p.text(), nil
}

// notationText writes a graph in the short notation, each line as far as a terminal goes.
func notationText(p *page, g *graph.Graph) {
	for line := range strings.Lines(g.Text()) {
		p.line("%s", strings.TrimRight(line, "\n"))
	}
}
