package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/solve"
)

// maxima are the words of --max, and the questions that they are.
var maxima = []struct {
	word     string
	question solve.Question
}{{"batch", solve.MaxBatch}, {"seq-len", solve.MaxSeqLen}, {"context", solve.MaxContext}}

func maximaWords() []string {
	var out []string
	for _, m := range maxima {
		out = append(out, m.word)
	}
	return out
}

// solveFlags declares the flags that search: the largest batch that fits, the cheapest card.
func solveFlags(c *cobra.Command) {
	words := maximaWords()
	c.Flags().String("max", "", "find `what` is the largest that fits the card of --gpu: "+strings.Join(words, ", "))
	c.Flags().Bool("cheapest", false, "find the card, the micro-batch and checkpointing with which the run costs least; with --gpu, on that card")
	offer(c, "max", words...)
}

// askFlags puts the question of the flags in place of that of the request.
func askFlags(cmd *cobra.Command, q *plan.Request) error {
	flags := cmd.Flags()
	if flags.Changed("max") && is(cmd, "cheapest") {
		return errors.New("--max and --cheapest are two questions: ask one of them")
	}
	if is(cmd, "cheapest") {
		q.Solve = solve.Cheapest
	}
	if flags.Changed("max") {
		word := given(cmd, "max")
		at := slices.Index(maximaWords(), word)
		if at < 0 {
			return fmt.Errorf("--max is %q but takes one of %s", word, strings.Join(maximaWords(), ", "))
		}
		q.Solve = maxima[at].question
		if word != "context" && flags.Changed(word) && q.Training.MicroBatch == 0 {
			return fmt.Errorf("--%s says what --max %s asks for: leave one of them out", word, word)
		}
	}
	switch {
	case q.Solve == solve.MaxContext && q.Using.Prompt > 0 && q.Using.Generated > 0:
		return errors.New("--prompt and --generate say what --max context asks for: leave one of them out")
	case q.Solve != "" && q.Solve.NeedsCard() && q.Training.GPU == "":
		return fmt.Errorf("--max needs --gpu, the card that it is asked for: one of %s", strings.Join(hardware.Names(), ", "))
	}
	return nil
}
