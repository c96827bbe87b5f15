package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench/env"
)

var _ = registerBench(func() *cobra.Command {
	var q env.Query
	c := &cobra.Command{
		Use:   "tasks",
		Short: "List tasks of the benchmark",
		Long: `Lists tasks of each family and split: their ids, and the first line of each prompt. --json prints
them whole, as the environment server sends them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := q.List()
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, list)
			}
			t := newTable("task", "constraints", "what it asks")
			t.most = columnsOf(cmd.OutOrStdout())
			for i := range list.Tasks {
				task := &list.Tasks[i]
				first, _, _ := strings.Cut(task.Prompt, "\n")
				t.add(task.ID, number(len(task.Constraints)), clean(first))
			}
			p := &page{}
			p.WriteString(t.String() + "\n\n")
			p.line("verifier bench task ID shows one; the next ones: --from %d", list.Next)
			return printText(cmd, p.text())
		},
	}
	queryFlags(c, &q, 1)
	return c
})
