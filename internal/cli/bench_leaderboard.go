package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/env"
	"github.com/modelverifier/verifier/internal/bench/leaderboard"
	"github.com/modelverifier/verifier/internal/fence"
)

var _ = registerBench(func() *cobra.Command {
	var split string
	c := &cobra.Command{
		Use:   "leaderboard [FILE...]",
		Short: "Show how agents did: the published results, and those of files",
		Long: `Sorts agents by the share of a split that passed, then by the quality of the passing answers, then
by the number of gradings. The results of the built-in agents are part of the program. FILE adds one
that run --output wrote.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			results := leaderboard.Results()
			for _, name := range args {
				const most = 4 << 20
				data, err := fence.Read(name, most)
				if err != nil {
					return err
				}
				r, err := bench.DecodeResult(data)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				results = append(results, r)
			}
			if _, _, err := (env.Query{Split: split}).Names(); err != nil {
				return fmt.Errorf("--%w", err)
			}
			return printBoard(cmd, leaderboard.Board(results, split))
		},
	}
	c.Flags().StringVar(&split, "split", bench.Test, "the `split`, train, dev or test; empty: all together")
	_ = c.RegisterFlagCompletionFunc("split", cobra.FixedCompletions(bench.Splits, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	return c
})

func printBoard(cmd *cobra.Command, lines []leaderboard.Line) error {
	if wantsJSON(cmd) {
		return printJSON(cmd, map[string]any{"agents": lines})
	}
	t := newTable(append([]string{"agent", "passed", "quality"}, env.FamilyNames()...)...)
	t.most = columnsOf(cmd.OutOrStdout())
	for i := range lines {
		l := &lines[i]
		cells := []string{clean(l.Name()), passedText(&l.All), qualityText(l.All.Quality)}
		for k := range l.Families {
			cells = append(cells, passedText(&l.Families[k]))
		}
		t.add(cells...)
	}
	return printText(cmd, t.String()+"\n\nTasks that passed in percent: of all, and of each family.\n")
}

// passedText is how much of a row passed, in percent.
func passedText(r *bench.Row) string {
	if r.Tasks == 0 {
		return "-"
	}
	return strconv.FormatFloat(100*float64(r.Passed)/float64(r.Tasks), 'f', 1, 64)
}
