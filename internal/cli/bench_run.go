package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/agent"
	"github.com/modelverifier/verifier/internal/bench/env"
)

var _ = registerBench(func() *cobra.Command {
	var o runOptions
	var out string
	c := &cobra.Command{
		Use:   "run",
		Short: "Let an agent solve tasks, and count what passes",
		Long: `Gives an agent tasks of each family and split. It prints how many answers pass, their quality, and
how many changes and gradings they took. The agents of --policy need no service, and the same seed
gives the same result. --provider asks a language model. A progress bar is on standard error.
--output writes the result as JSON for verifier bench leaderboard.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			result, err := o.run(cmd, func(*agent.Outcome) error { return nil })
			if err != nil {
				return err
			}
			return printResult(cmd, result, out)
		},
	}
	o.flags(c, 20)
	c.Flags().StringVarP(&out, "output", "o", "", "write the result to this `file`")
	return c
})

// runOptions are the flags of a command that lets an agent solve tasks.
type runOptions struct {
	query    env.Query
	policy   string
	provider providerOptions
	seed     uint64
	jobs     int
}

func (o *runOptions) flags(c *cobra.Command, n int) {
	queryFlags(c, &o.query, n)
	c.Flags().StringVar(&o.policy, "policy", "", "the `agent`: "+strings.Join(agent.Names(), ", "))
	c.Flags().Uint64Var(&o.seed, "seed", 1, "`seed` of the random agent")
	c.Flags().IntVar(&o.jobs, "jobs", 0, "how `many` tasks run at once; by default the number of processors")
	o.provider.flags(c)
	c.MarkFlagsOneRequired("policy", "provider")
	c.MarkFlagsMutuallyExclusive("policy", "provider")
	_ = c.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(agent.Names(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// agent is the one that the flags name.
func (o *runOptions) agent() (agent.Agent, error) {
	if o.provider.format != "" {
		return o.provider.agent()
	}
	e, err := agent.Lookup(o.policy)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return e.Agent, nil
}

// mostTasks bounds one run: more are run by several, each with its --from.
const mostTasks = 100_000

// run solves tasks until they are done or someone stops it.
func (o *runOptions) run(cmd *cobra.Command, done func(*agent.Outcome) error) (*bench.Result, error) {
	a, err := o.agent()
	if err != nil {
		return nil, err
	}
	families, splits, err := o.query.Names()
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	if most := mostTasks / (len(families) * len(splits)); o.query.N < 1 || o.query.N > most {
		return nil, fmt.Errorf("--n is %d but must be from 1 to %d", o.query.N, most)
	}
	if o.query.From < 0 || o.query.From > bench.MaxNumber-o.query.N+1 {
		return nil, fmt.Errorf("--from is %d but must be from 0 to %d", o.query.From, bench.MaxNumber-o.query.N+1)
	}
	const mostJobs = 256
	if o.jobs < 0 || o.jobs > mostJobs {
		return nil, fmt.Errorf("--jobs is %d but must be from 1 to %d", o.jobs, mostJobs)
	}
	plan := &agent.Plan{Families: families, Splits: splits, From: o.query.From, N: o.query.N, Seed: o.seed}
	bar := newTaskBar(cmd, int64(len(plan.IDs())))
	defer bar.end()
	ctx, stop := signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	jobs := o.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return agent.Run(ctx, a, plan, jobs, func(outcome *agent.Outcome) error {
		bar.add(outcome)
		return done(outcome)
	})
}

func printResult(cmd *cobra.Command, r *bench.Result, out string) error {
	if out != "" {
		data, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(out, append(data, '\n'), 0o644); err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, r)
	}
	t := newTable("family", "split", "passed", "of", "quality", "changes", "gradings")
	t.most = columnsOf(cmd.OutOrStdout())
	for i := range r.Rows {
		addRow(t, &r.Rows[i])
	}
	if len(r.Rows) > 1 {
		total := bench.Total(r.Rows)
		total.Family, total.Split = "together", ""
		addRow(t, &total)
	}
	return printText(cmd, t.String()+"\n")
}

func addRow(t *grid, r *bench.Row) {
	t.add(r.Family, r.Split, strconv.Itoa(r.Passed), strconv.Itoa(r.Tasks), qualityText(r.Quality), strconv.Itoa(r.Steps), strconv.Itoa(r.Gradings))
}

// qualityText is a mean quality; a dash where nothing passed.
func qualityText(q *float64) string {
	if q == nil {
		return "-"
	}
	return decimal(*q)
}

// decimal is a share from 0 to 1 with three digits.
func decimal(share float64) string { return strconv.FormatFloat(share, 'f', 3, 64) }
