package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/discover"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/policy"
)

var _ = register(func() *cobra.Command {
	var o fixOptions
	c := takesModels(&cobra.Command{
		Use:   "fix [MODEL...]",
		Short: "Change the source of a model so that it runs: the smallest change for each finding, proved",
		Long: `Turns each blocking finding whose fix is certain into the smallest change of the file that the
number comes from: a literal, a default, a keyword, a name, or a missing flatten. Every patch is
applied in memory first, and the model is checked again with the same inputs, data and policy. It is
a patch only if the finding is gone and no finding is new. Where several changes would do, they are
listed and none is made.

No code of the model is run, and without --provider no network is used. Without a flag the findings
are shown with their patches. --diff prints the patches alone, for patch -p0 and git apply -p0.
--write applies them. Without MODEL, the models under models: in .verifier.yml are fixed.

The exit code is 0 where nothing blocks, or nothing any more with --write, and 1 where something is
left to do.`,
	})
	c.Flags().BoolVar(&o.diff, "diff", false, "print the patches alone, as unified diffs")
	c.Flags().BoolVar(&o.write, "write", false, "apply the proved patches")
	c.MarkFlagsMutuallyExclusive("diff", "write")
	c.Flags().StringVar(&o.command, "command-file", "", "check and fix the launch command of a serving engine in this `file` too")
	c.Flags().String("gpu", "", "the `card` that the launch command runs on; without it, fit and capability are not checked")
	c.Flags().Int64("gpus", 0, "how many `cards` the machine has; by default as many as the command needs")
	c.Flags().String("engine-version", "", "the engine's `version`, in place of that of the image or the assumed one")
	c.Flags().BoolVar(&o.provider, "provider", false, "ask the language model of the hosted service for the remaining findings; this sends the files of the model there")
	remoteFlags(c)
	policyFlags(c)
	dataFlag(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			listed, err := listedModels(cmd)
			if err != nil {
				return err
			}
			args = listed
		}
		return o.run(cmd, args)
	}
	return c
})

// fixOptions are the flags of fix.
type fixOptions struct {
	diff, write bool
	diffs       string // what --diff prints
	command     string // the file with a launch command
	provider    bool   // asks the hosted service for what is left
}

// run mends models, root by root.
func (o *fixOptions) run(cmd *cobra.Command, models []string) error {
	var trees []*tree
	defer func() {
		for _, t := range trees {
			_ = t.dir.Close() // it was read
		}
	}()
	var worst error
	for _, m := range models {
		if err := o.take(cmd, m, &trees); err != nil {
			if len(models) == 1 {
				return err
			}
			complain(cmd, err)
			worst = errUsage
		}
	}
	all := fix.Result{Patches: []fix.Patch{}, Arguments: []fix.Argument{}, Choices: []fix.Choice{}, Left: []fix.Left{}, Dropped: []fix.Dropped{}, Unread: map[string]string{}}
	for _, t := range trees {
		r, err := fix.Propose(cmdContext(cmd), t.request)
		if err != nil {
			return err
		}
		if o.provider {
			if err := o.ask(cmd, t, &r); err != nil {
				return err
			}
		}
		if err := t.shown(&r); err != nil {
			return err
		}
		if o.write {
			if err := t.write(&r); err != nil {
				return err
			}
		}
		join(&all, &r)
		o.diffs += t.diffs
	}
	if err := o.print(cmd, &all); err != nil {
		return err
	}
	if worst == nil && o.left(&all) {
		worst = errGated
	}
	return worst
}

// left reports whether there is something left to do.
func (o *fixOptions) left(r *fix.Result) bool {
	for _, p := range r.Patches {
		if !o.write || !p.Proved {
			return true
		}
	}
	return len(r.Arguments)+len(r.Choices)+len(r.Left) > 0
}

func join(all, r *fix.Result) {
	all.Patches, all.Arguments = append(all.Patches, r.Patches...), append(all.Arguments, r.Arguments...)
	all.Choices, all.Left, all.Dropped = append(all.Choices, r.Choices...), append(all.Left, r.Left...), append(all.Dropped, r.Dropped...)
	for k, v := range r.Unread {
		all.Unread[k] = v
	}
}

// take adds a model to the tree that it lies in, with the policy and the data that it is judged by.
func (o *fixOptions) take(cmd *cobra.Command, name string, trees *[]*tree) error {
	if name == stdin {
		return errors.New("fix changes files: standard input is none")
	}
	j := newJudge(cmd)
	if err := j.enter(name); err != nil {
		return err
	}
	defer j.restore()
	if err := j.fillWith(j.house.calls); err != nil { // what the source is called with
		return err
	}
	in, err := readInput(cmd, name, false)
	if err != nil && filepath.Base(name) == "config.json" && exists(name) { // its numbers may contradict each other
		in, err = &input{name: name, model: &graph.Graph{}, loaded: &load.Model{Kind: hub.Config, File: name}}, nil
	}
	if err != nil {
		return err
	}
	if in.model == nil || in.loaded == nil || in.loaded.File == "" {
		return fmt.Errorf("%s: is no text that can be changed; fix takes file.py:Name, config.json, and graphs in JSON or in the text notation", name)
	}
	q := &check.Request{Text: in.textCall()}
	j.apply(&q.Policy)
	if in.loaded.Weights != nil {
		differs := in.loaded.Weights.Differs()
		q.Stored = &differs
	}
	if err := datasets(j, q); err != nil {
		return err
	}
	target, err := fixTarget(cmd, name)
	if err != nil {
		return err
	}
	target.Judge = &check.Request{Policy: q.Policy, Data: q.Data, Stored: q.Stored, Text: q.Text}
	if o.command != "" {
		if target.Judge.Serve, _, err = serveRequest(cmd, []string{name}); err != nil {
			return err
		}
		return addTo(trees, in, target, o.command)
	}
	return addTo(trees, in, target, "")
}

// fixTarget is a model with what the flags say about it.
func fixTarget(cmd *cobra.Command, name string) (fix.Target, error) {
	var t fix.Target
	t.Inputs, _ = cmd.Flags().GetStringArray("input")
	t.SitePackages, _ = cmd.Flags().GetString("site-packages")
	args, _ := cmd.Flags().GetStringArray("arg")
	for _, a := range args {
		key, value, ok := strings.Cut(a, "=")
		if !ok || key == "" {
			return t, fmt.Errorf("--arg is %q but takes name=value", a)
		}
		if t.Args == nil {
			t.Args = map[string]string{}
		}
		t.Args[key] = value
	}
	if i := strings.LastIndex(name, ".py:"); i >= 0 {
		t.Symbol = name[i+len(".py:"):]
	}
	return t, nil
}

// listedModels are those under models: in the repository's policy file that are files.
func listedModels(cmd *cobra.Command) ([]string, error) {
	flag, _ := cmd.Flags().GetString("policy")
	h, err := houseOf(names(cmd), flag, stdin)
	if err != nil {
		return nil, err
	}
	var out []string
	if h.file != nil {
		dir := filepath.Dir(h.path)
		for _, m := range h.file.Models() {
			found := []string{filepath.Join(dir, filepath.FromSlash(m))}
			switch {
			case strings.ContainsAny(m, "*?[") && strings.HasSuffix(m, ".py"):
				found = filesLike(dir, m)
			case strings.ContainsAny(m, "*?["):
				found = modelsLike(dir, m)
			}
			for _, f := range found {
				if onDisk(f) && !slices.Contains(out, f) {
					out = append(out, f)
				}
			}
		}
	}
	const forms = "file.py:Name, config.json or a graph"
	switch {
	case len(out) > 0:
		return out, nil
	case h.file == nil:
		return nil, errors.New("no MODEL is given, and there is no .verifier.yml: give " + forms + ", or let verifier init write one")
	}
	return nil, errors.New("no MODEL is given, and .verifier.yml lists none under models: that is a file; give " + forms)
}

// modelsLike are the graphs, descriptions and ONNX files below a folder that a pattern stands for. A PyTorch class is none of them: nothing
// says what it is called with.
func modelsLike(dir, pattern string) []string {
	found, err := discover.Walk(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, m := range found.Models {
		if m.Kind != discover.Class && m.Kind != discover.Factory && policy.Match(pattern, m.Ref) {
			out = append(out, filepath.Join(dir, filepath.FromSlash(m.Ref)))
		}
	}
	return out
}

// filesLike are the files of a folder that a pattern of its policy file stands for, beneath the root of the folder: a link that leads out
// of it is none of them.
func filesLike(dir, pattern string) []string {
	d, err := fence.Named(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()            // it was read
	names, _ := fs.Glob(d, path.Clean(pattern)) // a pattern that is none matches nothing
	var out []string
	for _, n := range names {
		if _, err := d.Stat(n); err == nil {
			out = append(out, filepath.Join(dir, filepath.FromSlash(n)))
		}
	}
	return out
}
