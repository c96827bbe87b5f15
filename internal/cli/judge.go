package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// judge is one run of a command that gives verdicts: what its flags say about every model.
type judge struct {
	cmd       *cobra.Command
	policy    string // of --policy
	failOn    rules.Severity
	overrides []policy.Override
	today     string // as 2027-01-31: the day on which waivers hold
}

// answer is what there is to say about one model.
type answer struct {
	body  any         // as it goes over the wire
	text  func(*page) // for people
	found []found     // what can make the command fail
	house *house
}

// judging makes a command that gives a verdict on each file. Over the wire goes one body, so with --json it takes one file.
func judging(c *cobra.Command, one func(*judge, *input) (*answer, error)) *cobra.Command {
	c.Args = cobra.MinimumNArgs(1)
	c.Flags().StringArray("severity", nil, "count a rule as block, warn, info or off in whether the command fails: `rule=off`; changes no verdict")
	judgeFlags(c)
	var off []string
	for _, id := range ruleNames() {
		off = append(off, id+"="+string(policy.Off))
	}
	offer(c, "severity", off...)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		j, err := newJudge(cmd)
		if err != nil {
			return err
		}
		if wantsJSON(cmd) && len(args) > 1 {
			return errors.New("--json prints one body: give one file")
		}
		return j.each(args, one)
	}
	return c
}

// judgeFlags are the flags of every command that gives verdicts.
func judgeFlags(c *cobra.Command) {
	takesModels(c)
	c.Flags().String("policy", "", "`policy` lines as JSON, a file of them, a .verifier.yml, or none; in place of the repository's .verifier.yml")
	c.Flags().String("fail-on", string(rules.Block), "exit with 1 from this `severity` on: block or warn")
	c.Flags().Bool("request", false, "take FILE for the body of a request to the HTTP service, whatever it looks like")
	offer(c, "fail-on", string(rules.Block), string(rules.Warn))
}

// offer completes the values of a flag.
func offer(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag
	}
}

func newJudge(cmd *cobra.Command) (*judge, error) {
	j := &judge{cmd: cmd, today: time.Now().Format(time.DateOnly)}
	j.policy, _ = cmd.Flags().GetString("policy")
	failOn, _ := cmd.Flags().GetString("fail-on")
	if j.failOn = rules.Severity(failOn); j.failOn != rules.Block && j.failOn != rules.Warn {
		return nil, fmt.Errorf("--fail-on is %q but takes block or warn", failOn)
	}
	if cmd.Flags().Lookup("severity") != nil {
		flags, _ := cmd.Flags().GetStringArray("severity")
		for _, f := range flags {
			o, err := policy.ParseOverride(f)
			if err != nil {
				return nil, err
			}
			j.overrides = append(j.overrides, o)
		}
	}
	return j, nil
}

// each judges file by file. One that cannot be read does not keep the others from being judged.
func (j *judge) each(files []string, one func(*judge, *input) (*answer, error)) error {
	if len(files) == 1 {
		return j.file(files[0], one)
	}
	var worst error
	for i, name := range files {
		if i > 0 {
			name = "\n" + name
		}
		if err := printText(j.cmd, name+":\n"); err != nil {
			return err
		}
		err := j.file(files[i], one)
		switch {
		case err == nil || errors.Is(err, errGated) && worst != nil:
		case errors.Is(err, errGated):
			worst = err
		case errors.Is(err, errWrite):
			return err
		default:
			complain(j.cmd, err)
			worst = errUsage
		}
	}
	return worst
}

func (j *judge) file(name string, one func(*judge, *input) (*answer, error)) error {
	asRequest, _ := j.cmd.Flags().GetBool("request")
	in, err := readInput(j.cmd, name, asRequest)
	if err != nil {
		return err
	}
	a, err := one(j, in)
	if err != nil {
		return err
	}
	return j.deliver(a)
}

// deliver prints an answer and decides whether the command fails.
func (j *judge) deliver(a *answer) error {
	if err := j.print(a.body, a.text); err != nil {
		return err
	}
	if j.gates(a) {
		return errGated
	}
	return nil
}

func (j *judge) print(body any, text func(*page)) error {
	if wantsJSON(j.cmd) {
		return printJSON(j.cmd, body)
	}
	p := &page{coloured: wantsColour(j.cmd.OutOrStdout())}
	text(p)
	return printText(j.cmd, p.String())
}

// apply finds the rules of the house for a model and puts their policy in place of none: a request that brings its own keeps
// it, unless --policy was given.
func (j *judge) apply(in *input, own **policy.Policy) (*house, error) {
	h, err := houseOf(j.policy, in.name)
	if err != nil {
		return nil, err
	}
	if *own == nil || j.policy != "" && j.policy != noPolicy {
		*own = h.policy
		if h.path != "" && !h.policy.Empty() {
			j.note("policy of %s", h.path)
		}
	}
	return h, nil
}

// note writes a line about the run to standard error.
func (j *judge) note(format string, args ...any) {
	fmt.Fprintln(j.cmd.ErrOrStderr(), "note:", clean(fmt.Sprintf(format, args...)))
}
