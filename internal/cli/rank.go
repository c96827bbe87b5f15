package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = register(func() *cobra.Command {
	c := &cobra.Command{
		Use:   "rank MODEL...",
		Short: "Sort candidates by what has been measured",
		Long: `Sorts candidates: one file each, or one file that is the body of a request with all of them. It
fails if every candidate is blocked, or with --fail-on warn has a warning. Waivers do not count
here.`,
		Args: cobra.MinimumNArgs(1),
		RunE: runRank,
	}
	judgeFlags(c)
	c.Flags().String("tie-break", "", "order candidates that are tied by `what`: cost or params")
	offer(c, "tie-break", rank.ByCost, rank.ByParams)
	return c
})

func runRank(cmd *cobra.Command, args []string) error {
	j := newJudge(cmd)
	if err := j.enter(args[0]); err != nil {
		return err
	}
	q, err := candidates(cmd, args)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("tie-break") {
		q.TieBreak, _ = cmd.Flags().GetString("tie-break")
		if q.TieBreak != rank.ByCost && q.TieBreak != rank.ByParams {
			return fmt.Errorf("--tie-break is %q but takes %s or %s", q.TieBreak, rank.ByCost, rank.ByParams)
		}
	}
	if err := j.applyAll(args, &q.Policy); err != nil {
		return err
	}
	r := rank.Run(q)
	if err := j.print(r, func(p *page) { rankText(p, r) }); err != nil {
		return err
	}
	left := func(c rank.Ranked) bool {
		return c.Tier == rank.Legal && (c.Warnings == 0 || j.terms.FailOn == rules.Block)
	}
	if !slices.ContainsFunc(r.Ranked, left) {
		return errGated
	}
	return nil
}

// candidates reads a request that has them, or one from each file. A file's name is its id.
func candidates(cmd *cobra.Command, args []string) (*rank.Request, error) {
	if len(args) == 1 {
		asRequest, _ := cmd.Flags().GetBool("request")
		in, err := readInput(cmd, args[0], asRequest)
		if err != nil {
			return nil, err
		}
		return request(in, rank.Decode, func(g *graph.Graph) *rank.Request {
			return &rank.Request{Candidates: []rank.Candidate{{ID: args[0], Model: g, Text: in.textCall()}}}
		})
	}
	if most := graph.LocalLimits.Candidates; len(args) > most {
		return nil, fmt.Errorf("%d candidates, at most %d are ranked", len(args), most)
	}
	q := &rank.Request{}
	for i, name := range args {
		if slices.Contains(args[:i], name) {
			return nil, fmt.Errorf("%s is a candidate already", name)
		}
		in, err := readInput(cmd, name, false)
		if err != nil {
			return nil, err
		}
		g, err := in.verifiable("model")
		if err != nil {
			return nil, err
		}
		q.Candidates = append(q.Candidates, rank.Candidate{ID: name, Model: g, Text: in.textCall()})
	}
	return q, nil
}

// applyAll is apply for candidates: one policy applies to all of them, so theirs must be one.
func (j *judge) applyAll(files []string, own **policy.Policy) error {
	var lines string
	for i, name := range files {
		mine := *own
		if err := j.enter(name); err != nil {
			return err
		}
		j.apply(&mine)
		text := strings.Join(mine.Lines(), "; ")
		if i > 0 && text != lines {
			return errors.New(policyFile + " has other lines for " + name + " than for " + files[0] + "; give one --policy for all candidates")
		}
		lines = text
		if i == len(files)-1 {
			*own = mine
		}
	}
	return nil
}

// weightsOf is the number of weights, and whether it lacks some.
func weightsOf(c *rank.Ranked) string { return bound(c.ParamsWithheld) + quantity.Short(c.Params) }

// bound stands before a figure that lacks components.
func bound(withheld []string) string {
	if len(withheld) > 0 {
		return "≥" // without a space: a table has eighty columns
	}
	return ""
}

// known writes a figure that may not be known.
func known(c *rank.Ranked, n *int64, write func(int64) string) string {
	if n == nil {
		return "not known"
	}
	return bound(c.CostWithheld) + write(*n)
}

// operations are the FLOPs, which contain every component where they are known.
func operations(n *int64) string {
	if n == nil {
		return "not known"
	}
	return strings.NewReplacer(" ", "", "FLOP", "").Replace(quantity.FLOPs(*n))
}

func timeOf(c *rank.Ranked) string {
	if c.EstTrainSec == nil {
		return "not known"
	}
	micros := c.EstTrainSec.Unscaled * 1000
	return known(c, &micros, quantity.AboutDuration)
}

func costOf(c *rank.Ranked) string {
	if c.EstCostUSD == nil {
		return "not known"
	}
	return known(c, &c.EstCostUSD.Unscaled, quantity.AboutDollars)
}

func rankText(p *page, r *rank.Result) {
	t := newTable("#", "candidate", "verdict", "weights", "FLOPs", "memory", "time", "cost", "fits")
	for _, c := range r.Ranked {
		t.add(strconv.Itoa(c.Rank), clean(c.ID), string(p.word(verdictOf(c), 0)), weightsOf(&c), operations(c.FLOPs),
			known(&c, c.TrainFootprintBytes, quantity.Bytes), timeOf(&c), costOf(&c), c.FitsGPU)
	}
	p.WriteString(t.String() + "\n\n")
	for _, c := range r.Ranked {
		p.line("%s", c.ID)
		for _, reason := range slices.Concat(c.Reasons, c.OtherStageBlockers, c.OtherStageWarnings) {
			p.line("  %s", reason)
		}
	}
	p.line("")
	if r.TieBreak != nil {
		p.line("%s", r.TieBreak.Note)
	}
	p.line("%s", r.Recommendation)
	rankDisclaimer(p, r.Calibration)
}

// verdictOf is how a candidate did, in a word or two.
func verdictOf(c rank.Ranked) string {
	switch {
	case c.Tier == rank.Blocked:
		return "block"
	case c.Warnings > 0:
		return "warn"
	case len(c.Withheld) > 0:
		return "ask"
	}
	return "ok"
}

// rankDisclaimer says once how far the order can be trusted.
func rankDisclaimer(p *page, c rank.Calibration) {
	if e := c.Exclusion; e != nil {
		p.line("Blocks are measured: %d of %d crashed in PyTorch %s.", e.BlockedCrashed, e.Blocked, e.Torch)
	}
	if o := c.Ordering; o != nil && o.PairwiseAccuracy != nil && o.Coverage != nil {
		p.line("The order of small classifiers is measured: of %s pairs that were kept aside %.0f %% were ordered, %.0f %% of them rightly.",
			quantity.Grouped(int64(o.CountedPairs)), 100**o.Coverage, 100**o.PairwiseAccuracy)
	}
}
