package cli

import (
	"sort"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench/env"
)

// benchCommands are the constructors of the commands below bench; each file adds its own.
var benchCommands []func() *cobra.Command

func registerBench(f func() *cobra.Command) bool {
	benchCommands = append(benchCommands, f)
	return true
}

var _ = register(func() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Tasks for agents that design models: list them, grade answers, run agents, serve the environment",
		Long: `A benchmark of designing and changing models. A task is a specification in words, a graph to start
from or none, and constraints. It is generated from its id, family/split/number. The verifier grades
the answers: what passes runs in PyTorch. See docs/bench.md.`,
	}
	var list []*cobra.Command
	for _, f := range benchCommands {
		list = append(list, f())
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	c.AddCommand(list...)
	return c
})

// queryFlags are those that choose tasks.
func queryFlags(c *cobra.Command, q *env.Query, n int) {
	c.Flags().StringVar(&q.Family, "family", "", "`families` of tasks, with commas between them; by default all")
	c.Flags().StringVar(&q.Split, "split", "", "`splits`, of train, dev and test, with commas between them; by default all")
	c.Flags().IntVar(&q.From, "from", 0, "the `number` of the first task of each family and split")
	c.Flags().IntVar(&q.N, "n", n, "how `many` tasks of each family and split")
	_ = c.RegisterFlagCompletionFunc("family", cobra.FixedCompletions(env.FamilyNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	_ = c.RegisterFlagCompletionFunc("split", cobra.FixedCompletions([]string{"train", "dev", "test"}, cobra.ShellCompDirectiveNoFileComp))
}
