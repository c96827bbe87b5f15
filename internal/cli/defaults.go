package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
)

// fillable are the flags that a policy file may fill in: what is judged, and how strictly. Not among them is what reads or writes
// other files, reaches the network or names the day, because a file in a repository is not always its reader's own.
var fillable = []string{"fail-on", "input", "arg", "gpu", "gpus",
	"attention", "seq-len", "text-only", "batch", "precision", "optimizer", "epochs", "samples", "checkpointing", "micro-batch", "fused-loss", "expandable-segments", "dropout", "frozen", "lora", "lora-targets", "lora-bits", "lora-dropout", "autocast", "quantized", "objective", "completion", "shard", "offload",
	"use-batch", "use-precision", "prompt", "generate",
	"tp", "pp", "dp", "cp", "ep", "etp", "vpp", "global-batch", "zero", "first-stage-layers", "last-stage-layers", "framework", "recompute", "sequence-parallel",
	"engine-version"}

// fillableFlags are those that a command has.
func fillableFlags(c *cobra.Command) []string {
	var out []string
	for _, name := range fillable {
		if c.Flags().Lookup(name) != nil {
			out = append(out, name)
		}
	}
	return out
}

// names are what a policy file can name.
func names(cmd *cobra.Command) policy.Names {
	n := report.Names()
	n.Flags = func() []policy.Command {
		var out []policy.Command
		for _, c := range cmd.Root().Commands() {
			if judgesOne(c) {
				out = append(out, policy.Command{Name: c.Name(), Flags: fillableFlags(c)})
			}
		}
		return out
	}
	return n
}

// fill sets the flags that were not given to what the policy file says, of the model itself before its defaults. The next model may have another file, so it also
// keeps how they were.
func (j *judge) fill() error {
	j.restore()
	if !judgesOne(j.cmd) {
		return nil
	}
	return j.fillWith(policy.Nearer(j.house.file.DefaultsFor(j.name, fillableFlags(j.cmd)), j.house.calls))
}

// restore sets the flags that were filled in back to how they were.
func (j *judge) restore() {
	for _, undo := range j.undo {
		undo()
	}
	j.undo, j.filled = nil, nil
}

// fillWith sets flags that were not given, and notes which.
func (j *judge) fillWith(lines []policy.Default) error {
	for _, d := range lines {
		f := j.cmd.Flags().Lookup(d.Flag)
		if f == nil || f.Changed {
			continue
		}
		if err := j.set(f, &d); err != nil {
			return fmt.Errorf("%s: %w", j.house.path, err)
		}
		for _, v := range d.Values {
			j.filled = append(j.filled, "--"+d.Flag+"="+v)
		}
	}
	if len(j.filled) > 0 {
		j.note("%s fills in %s", j.house.path, strings.Join(j.filled, " "))
	}
	return nil
}

// judgesOne reports whether a command gives verdicts on one model after the other. rank, which does not, knows no defaults:
// candidates could have different ones.
func judgesOne(c *cobra.Command) bool { return c.Flags().Lookup("severity") != nil }

func (j *judge) set(f *pflag.Flag, d *policy.Default) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		before := list.GetSlice()
		j.undo = append(j.undo, func() { _, f.Changed = list.Replace(before), false })
		f.Changed = true
		return list.Replace(d.Values)
	}
	if len(d.Values) != 1 {
		return d.Errorf("is a list, but --%s takes one value", d.Flag)
	}
	before := f.Value.String()
	j.undo = append(j.undo, func() { _, f.Changed = f.Value.Set(before), false })
	f.Changed = true
	if err := f.Value.Set(d.Values[0]); err != nil {
		return d.Errorf("%q is not a value of --%s, which takes %s", d.Values[0], d.Flag, f.Value.Type())
	}
	return nil
}
