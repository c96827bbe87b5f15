package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// judge is one run of a command that gives verdicts: what its flags, and the rules of the house, say about the model at hand.
type judge struct {
	cmd    *cobra.Command
	name   string // of the command, as a policy file knows it
	house  *house
	terms  report.Terms
	filled []string // flags that the policy file filled in, as --gpu=H100
	undo   []func() // that take them back

	loaded *load.Model // the model at hand, nil where it is the body of a request
	out    outputs
}

// answer is what there is to say about one model.
type answer struct {
	body any         // as it goes over the wire
	text func(*page) // for people
	run  *report.Run // nil where there is no verdict
	done func() any  // the body, where it says what gates; nil for none
}

// judging makes a command that gives a verdict on each file. Over the wire goes one body, so with --json it takes one file.
func judging(c *cobra.Command, one func(*judge, *input) (*answer, error)) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	judgeFlags(c)
	gateFlags(c)
	outputFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if len(args) == 0 {
			if f := cmd.Flags().Lookup("attest"); f != nil && f.Changed {
				return errors.New("--attest is the record of one model: name it")
			}
			if args, err = listedModels(cmd); err != nil {
				return err
			}
		}
		if wantsJSON(cmd) && len(args) > 1 {
			return errors.New("--json prints one body: give one file")
		}
		return newJudge(cmd).each(args, reading(one))
	}
	return c
}

// reading hands the content of a file to a command.
func reading(one func(*judge, *input) (*answer, error)) func(*judge, string) (*answer, error) {
	return func(j *judge, name string) (*answer, error) {
		asRequest, _ := j.cmd.Flags().GetBool("request")
		if j.name == "plan" && !asRequest && load.IsPipeline(name) {
			return planPipeline(j, name)
		}
		in, err := readInput(j.cmd, name, asRequest)
		if err != nil {
			return nil, err
		}
		j.loaded = in.loaded
		return one(j, in)
	}
}

// judgeFlags are the flags of commands that take the body of a request in place of a model.
func judgeFlags(c *cobra.Command) {
	takesModels(c)
	requiresComplete(c)
	policyFlags(c)
	requestFlag(c)
}

func policyFlag(c *cobra.Command) {
	c.Flags().String("policy", "", "`policy` lines as JSON, a file of them, a .verifier.yml, or none; in place of the repository's .verifier.yml")
}

func requestFlag(c *cobra.Command) {
	c.Flags().Bool("request", false, "read FILE as the body of a request to the HTTP service")
}

// policyFlags are the flags of every command that gives verdicts.
func policyFlags(c *cobra.Command) {
	policyFlag(c)
	c.Flags().String("fail-on", string(rules.Block), "exit with 1 from this `severity` on: block or warn")
	offer(c, "fail-on", string(rules.Block), string(rules.Warn))
}

// gateFlags are the flags of commands whose findings can be waived.
func gateFlags(c *cobra.Command) {
	c.Flags().StringArray("severity", nil, "count a rule, or every rule of a checker, as block, warn, info or off in whether the command fails: `rule=off`; changes no verdict")
	c.Flags().String("now", "", "the `day` against which waivers expire, such as 2027-01-31; without it none has expired")
	if err := c.RegisterFlagCompletionFunc("severity", offs); err != nil {
		panic(err) // there is no such flag
	}
}

// offs completes --severity. The rules are listed only when someone asks: every start would pay for it.
func offs(*cobra.Command, []string, string) (off []string, _ cobra.ShellCompDirective) {
	for _, r := range report.Names().Rules {
		off = append(off, r.ID+"="+string(policy.Off))
	}
	return off, cobra.ShellCompDirectiveNoFileComp
}

// offer completes the values of a flag.
func offer(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag
	}
}

func newJudge(cmd *cobra.Command) *judge { return &judge{cmd: cmd, name: cmd.Name()} }

// enter finds the rules of the house for a model, and brings them and the flags together.
func (j *judge) enter(model string) (err error) {
	flag, _ := j.cmd.Flags().GetString("policy")
	if j.house, err = j.houseOf(flag, model); err != nil {
		return err
	}
	if err := j.fill(); err != nil {
		return err
	}
	h := j.house
	j.terms = report.Terms{FailOn: rules.Block, File: h.file, FileName: h.path, Baseline: h.baseline, Model: h.model}
	if failOn, err := j.cmd.Flags().GetString("fail-on"); err == nil { // the command has the flag
		if j.terms.FailOn = rules.Severity(failOn); j.terms.FailOn != rules.Block && j.terms.FailOn != rules.Warn {
			return fmt.Errorf("--fail-on is %q but takes block or warn", failOn)
		}
	}
	flags, _ := j.cmd.Flags().GetStringArray("severity")
	for _, f := range flags {
		o, err := report.Names().ParseOverride(f)
		if err != nil {
			return err
		}
		j.terms.Flags = append(j.terms.Flags, o)
	}
	j.terms.Now, err = day(j.cmd)
	return err
}

// day is that of --now or else of the record's own time, never of the clock: the same command on the same files must fail
// tomorrow if it fails today.
func day(cmd *cobra.Command) (string, error) {
	if cmd.Flags().Changed("now") {
		now, _ := cmd.Flags().GetString("now")
		if !policy.IsDay(now) {
			return "", fmt.Errorf("--now is %q but takes a day such as 2027-01-31", now)
		}
		return now, nil
	}
	record, _ := cmd.Flags().GetString("attest-time")
	if record == "" {
		return "", nil
	}
	at, err := time.Parse(time.RFC3339, record)
	if err != nil {
		return "", fmt.Errorf("--attest-time is %q but takes a time such as 2027-01-31T12:00:00Z", record)
	}
	return at.UTC().Format(time.DateOnly), nil
}

// each judges file by file. One that cannot be read does not keep the others from being judged.
func (j *judge) each(files []string, one func(*judge, string) (*answer, error)) error {
	if err := j.begin(files); err != nil {
		return err
	}
	if len(files) == 1 {
		return j.finish(j.missed(files[0], j.file(files[0], one)))
	}
	return j.finish(j.all(files, one))
}

func (j *judge) all(files []string, one func(*judge, string) (*answer, error)) error {
	var worst error
	for i, name := range files {
		if err := j.heading(i, name); err != nil {
			return err
		}
		err := j.missed(name, j.file(name, one))
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

// file judges one model.
func (j *judge) file(name string, one func(*judge, string) (*answer, error)) error {
	if err := j.enter(name); err != nil {
		return err
	}
	if j.house.lost != nil {
		return j.house.lost
	}
	rec, err := j.record(name)
	if err != nil {
		return err
	}
	defer rec.close()
	a, err := one(j, name)
	if err == nil {
		err = j.addSource(a.run)
	}
	if err != nil {
		return err
	}
	end := j.deliver(name, a)
	if end == nil || errors.Is(end, errGated) {
		if err := rec.finish(a.run); err != nil {
			return err
		}
	}
	return end
}

// heading begins the text about one of several models.
func (j *judge) heading(i int, name string) error {
	if j.textless() || is(j.cmd, "quiet") {
		return nil
	}
	p := &page{}
	if i > 0 {
		p.line("")
	}
	p.line("%s:", name)
	return printText(j.cmd, p.text())
}

// deliver says which findings make the command fail, and prints the answer.
func (j *judge) deliver(model string, a *answer) error {
	var notes []string
	var incomplete error
	if a.run != nil {
		a.run.Command, a.run.Model, a.run.Files, a.run.Filled = j.cmd.Name(), model, append(a.run.Files, j.house.files...), j.filled
		notes = j.terms.Judge(a.run)
		if incomplete = complete(j.cmd, j.loaded); incomplete != nil {
			a.run.ExitCode = exitGated
		}
		j.keep(a.run)
	}
	if a.done != nil {
		a.body = a.done()
	}
	if err := j.print(a.body, j.located(a.run, j.shown(a))); err != nil {
		return err
	}
	for _, n := range notes {
		j.note("%s", n)
	}
	if a.run != nil && a.run.ExitCode == exitGated {
		return errGated
	}
	return incomplete
}

func (j *judge) print(body any, text func(*page)) error {
	if wantsJSON(j.cmd) {
		return printJSON(j.cmd, body)
	}
	if j.textless() {
		return nil
	}
	p := &page{coloured: wantsColour(j.cmd.OutOrStdout())}
	text(p)
	return printText(j.cmd, p.text())
}

// apply adds the policy of the house: a request that brings its own keeps it, and takes no line of the house back. --policy comes in the
// place of both.
func (j *judge) apply(own **policy.Policy) {
	if flag, _ := j.cmd.Flags().GetString("policy"); flag != "" && flag != noPolicy {
		*own = nil
	}
	*own = policy.Stricter(*own, j.house.policy)
	if j.house.path == "" || j.house.policy.Empty() {
		return
	}
	var paths []string
	for _, l := range j.house.levels {
		paths = append(paths, filepath.Join(l.dir, filepath.Base(j.house.path)))
	}
	j.note("policy of %s", strings.Join(paths, " and "))
}

// note writes a line about the run to standard error.
func (j *judge) note(format string, args ...any) {
	note(j.cmd, fmt.Sprintf(format, args...))
}
