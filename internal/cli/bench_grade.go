package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = registerBench(func() *cobra.Command {
	return &cobra.Command{
		Use:   "grade ID ANSWER",
		Short: "Grade an answer to a task: whether it passes, and what fails",
		Long: `Grades an answer to a task. ANSWER is a file, or - for standard input, with {"model": GRAPH},
{"edits": [CHANGES]} of the start, or a graph. It prints whether each constraint is satisfied. An
answer that cannot be read fails with the reason. The exit code is 1 where the answer does not pass.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			problem, err := bench.Find(args[0])
			if err != nil {
				return err
			}
			answer, err := answerOf(cmd, args[1])
			if err != nil {
				return err
			}
			g := bench.Score(&problem.Task, answer)
			if wantsJSON(cmd) {
				err = printJSON(cmd, g)
			} else {
				err = printText(cmd, gradeText(g))
			}
			if err == nil && !g.Passed {
				err = errGated
			}
			return err
		},
	}
})

// answerOf reads an answer, of as many bytes as one may have and one more: grading refuses what is longer.
func answerOf(cmd *cobra.Command, name string) ([]byte, error) {
	most := int64(bench.Limits.Bytes)
	if name != stdin {
		return fence.Read(name, most)
	}
	data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, &graph.Error{Code: graph.CodeBytes, Path: "answer", Message: fmt.Sprintf("is larger than %d MiB", most>>20), Limit: most}
	}
	return data, nil
}

func gradeText(g *bench.Grade) string {
	p := &page{}
	for _, c := range g.Checks {
		word := "holds"
		if !c.Held {
			word = "fails"
		}
		p.line("%s  %s: %s; %s", word, c.Kind, c.Want, c.Got)
	}
	if !g.Passed {
		p.line("does not pass: %s", g.Reason)
		return p.text()
	}
	p.line("passes with quality %s; structure %s", decimal(g.Quality.Score), g.Fingerprint)
	return p.text()
}
