package cli

import (
	"bytes"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
)

// rerun is the run of a record's command again, over files that lie elsewhere. What the command was called with stays as recorded.
type rerun struct {
	recorded *attest.Statement
	model    attest.Model // as recorded, without its files
	order    attest.Order
	here     string // where the model is now
	version  string // of the tool as recorded: whoever decides by the same files may write it

	bytes     []byte // the record of this run
	statement *attest.Statement
}

type rerunKey struct{}

// rerunOf is the rerun that a command is part of, nil for none.
func rerunOf(cmd *cobra.Command) *rerun {
	r, _ := cmdContext(cmd).Value(rerunKey{}).(*rerun)
	return r
}

// actual is where a reference leads: in a rerun the model lies elsewhere.
func actual(cmd *cobra.Command, ref string) string {
	r := rerunOf(cmd)
	if r == nil || ref != r.recorded.Predicate.Precheck.Model {
		return ref
	}
	if _, symbol, ok := strings.Cut(ref, ".py:"); ok && !strings.Contains(filepath.Base(r.here), ".py:") {
		return r.here + ":" + symbol
	}
	return r.here
}

// unrepeated are flags that write, print or fetch: a rerun does nothing but give a verdict. base-tree is in no record. All others are repeated.
var unrepeated = []string{"json", "sarif", "junit", "markdown", "code-quality", changeFlag, treeFlag, "annotate", "quiet", "verbose", "download"}

// do runs the command. Only what can be attested is run, and nothing is written.
func (r *rerun) do(ctx context.Context) error {
	p := &r.recorded.Predicate
	root := Root()
	cmd, _, err := root.Find(p.Precheck.Argv)
	if err != nil || cmd.Name() != p.Precheck.Command || cmd.Flags().Lookup("attest") == nil {
		return errors.New("argv is not a command line of " + p.Precheck.Command)
	}
	cmd.InitDefaultHelpFlag()
	for _, part := range parts(cmd, p.Precheck.Argv) {
		if slices.ContainsFunc(part.flags, func(n string) bool { return slices.Contains(recordFlags, n) || n == "help" || cmd.Flag(n) == nil }) {
			return errors.New("argv has a flag that no record has: " + strings.Join(part.words, " "))
		}
	}
	var add []string
	if p.Precheck.Time != "" {
		add = append(add, "--attest-time="+p.Precheck.Time)
	}
	if p.URL != "" {
		add = append(add, "--attest-url="+p.URL)
	}
	args := without(cmd, p.Precheck.Argv, unrepeated, add)
	var out, errs bytes.Buffer
	root.SetArgs(args)
	root.SetIn(strings.NewReader(""))
	root.SetOut(&out)
	root.SetErr(&errs)
	_, err = root.ExecuteContextC(context.WithValue(withArgs(ctx, args), rerunKey{}, r))
	if errors.Is(err, errGated) {
		err = nil
	}
	if err == nil && r.bytes == nil {
		return errors.New("the command gives no verdict")
	}
	return err
}

// argv is that of the record, with what a policy file fills in now and did not then.
func (r *rerun) argv(filled []string) []string {
	argv := slices.Clone(r.recorded.Predicate.Precheck.Argv)
	for _, f := range filled {
		if !slices.Contains(argv, f) {
			argv = append(argv, f)
		}
	}
	return argv
}

// read lists the files with such a name that the recorded run read, those of outer folders first.
func (r *rerun) read(base string) (out []string) {
	for _, d := range r.recorded.Predicate.Configuration {
		if d.Annotations != nil && d.Annotations.Role == attest.RoleInput && path.Base(d.Name) == base && !r.ofBefore(d.Name) {
			out = append(out, filepath.FromSlash(d.Name))
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(absolute(a)) - len(absolute(b)) })
	return out
}

// ofBefore reports whether a file lies beside a policy of the version before: it is that version's.
func (r *rerun) ofBefore(name string) bool {
	return slices.ContainsFunc(r.recorded.Predicate.Precheck.Argv, func(w string) bool {
		file, ok := strings.CutPrefix(w, "--"+basePolicyFlag+"=")
		return ok && path.Dir(file) == path.Dir(name)
	})
}

// house finds the policy of the recorded run: its own files, and none that lie around the model where it is now.
func (r *rerun) house(names policy.Names, flag, model string) (*house, error) {
	var h *house
	var err error
	files, baselines := r.read(policyFile), r.read(baselineFile)
	dir := filepath.Dir(flag)
	switch {
	case flag == "" && len(files) > 0:
		dir = filepath.Dir(files[0])
		h, err = readHouse(names, files, model)
	case flag == "" && len(baselines) > 0:
		dir = filepath.Dir(baselines[0])
		h, err = bareHouse(names, dir, model)
	case flag == "":
		return &house{}, nil
	default:
		h, err = houseOf(names, flag, model)
	}
	if err != nil {
		return nil, err
	}
	h.files = slices.DeleteFunc(h.files, func(f report.File) bool {
		extra := !slices.ContainsFunc(r.recorded.Predicate.Configuration, func(d attest.Descriptor) bool { return d.Name == f.Name && d.Annotations != nil })
		if extra && path.Clean(f.Name) == path.Clean(filepath.ToSlash(h.baselinePath)) {
			h.baseline = nil
		}
		return extra
	})
	if r.model.Kind != attest.Hub && h.model != "" { // its path then, whether or not something lies there now
		from := func(dir string) (string, error) {
			rel, err := filepath.Rel(absolute(dir), absolute(model))
			return filepath.ToSlash(rel), err
		}
		if h.file != nil {
			return h, h.hold(from)
		}
		if rel, err := from(dir); err == nil {
			h.model = rel
		}
	}
	return h, nil
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// houseOf finds the rules for a model: in a rerun, those of the recorded run.
func (j *judge) houseOf(flag, model string) (*house, error) {
	if r := rerunOf(j.cmd); r != nil {
		return r.house(names(j.cmd), flag, model)
	}
	return houseOf(names(j.cmd), flag, model)
}
