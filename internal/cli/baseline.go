package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
)

var _ = register(func() *cobra.Command {
	c := &cobra.Command{Use: "baseline", Short: "Let today's findings of a repository pass, and fail on new ones"}
	write := &cobra.Command{
		Use:   "write MODEL...",
		Short: "Write today's findings to a file: from then on only new findings fail a command",
		Long: `Checks the models and writes the blocks and warnings that are not waived to the file that baseline:
in .verifier.yml names, or to .verifier-baseline.json beside it. Entries of other models stay,
unless those are gone. With --check nothing is written, and the command fails where the file has
findings that no longer occur.`,
		Args: cobra.MinimumNArgs(1),
		RunE: writeBaseline,
	}
	takesModels(write)
	policyFlag(write)
	requestFlag(write)
	gateFlags(write)
	dataFlag(write)
	write.Flags().Bool("check", false, "write nothing; exit with 1 where the baseline has findings that are gone")
	c.AddCommand(write)
	return c
})

// baselineJSON is what the command says.
type baselineJSON struct {
	File     string         `json:"file"`
	Written  bool           `json:"written"`
	Findings int            `json:"findings"` // in the file, now or as it would be
	Added    []policy.Known `json:"added"`
	Stale    []policy.Known `json:"stale"` // in the file before, and gone
}

func writeBaseline(cmd *cobra.Command, args []string) error {
	j := newJudge(cmd)
	j.name = "check"
	var path string
	var before *policy.Baseline
	var now []policy.Known
	ran := map[string]bool{} // model and checker
	for _, name := range args {
		found, err := j.knownOf(name, ran)
		if err != nil {
			return err
		}
		if path != "" && path != j.house.baselinePath {
			return fmt.Errorf("%s has its findings in %s, but %s has them in %s; write one baseline at a time", args[0], path, name, j.house.baselinePath)
		}
		path, before, now = j.house.baselinePath, j.house.baseline, append(now, found...)
	}
	for _, k := range before.Findings() {
		if kept(path, k, ran) {
			now = append(now, k)
		}
	}
	after := policy.NewBaseline(now)
	out := &baselineJSON{File: filepath.ToSlash(path), Findings: len(after.Findings()), Added: append([]policy.Known{}, after.Beyond(before)...), Stale: append([]policy.Known{}, before.Beyond(after)...)}
	only, _ := cmd.Flags().GetBool("check")
	if !only {
		out.Written = true
		if err := replaceFile(path, after.AppendJSON(nil)); err != nil {
			return err
		}
	}
	if err := j.print(out, func(p *page) { baselineText(p, out) }); err != nil {
		return err
	}
	if only && len(out.Stale) > 0 {
		return errGated
	}
	return nil
}

// knownOf is what check finds in one model, and notes which checkers ran.
func (j *judge) knownOf(name string, ran map[string]bool) ([]policy.Known, error) {
	if name == stdin {
		return nil, errors.New("a baseline has findings by the path of the model: standard input has none")
	}
	if err := j.enter(name); err != nil {
		return nil, err
	}
	if j.house.baselinePath == "" {
		return nil, errors.New("--policy names no folder that a baseline could lie in: give a .verifier.yml, or leave it out")
	}
	asRequest, _ := j.cmd.Flags().GetBool("request")
	in, err := readInput(j.cmd, name, asRequest)
	if err != nil {
		return nil, err
	}
	q, err := checkRequest(j, in)
	if err != nil {
		return nil, err
	}
	run := report.OfCheck(check.Run(q), q.Policy)
	j.terms.Baseline = nil // what is known already is found all the same
	for _, n := range j.terms.Judge(run) {
		j.note("%s", n)
	}
	if ran[j.house.model+"\x00"+report.CheckChecker] {
		return nil, nil // it was named twice, perhaps in two ways
	}
	ran[j.house.model+"\x00"+report.PolicyChecker] = true
	for _, r := range run.Rules {
		ran[j.house.model+"\x00"+r.Checker] = true
	}
	var out []policy.Known
	for i := range run.Findings {
		if f := &run.Findings[i]; f.Matters() {
			out = append(out, policy.Known{Model: j.house.model, Rule: f.Test(), Component: f.Component, Count: 1})
		}
	}
	return out, nil
}

// kept reports whether a finding stays in the file though it was not found now: its checker did not run on its model, and the
// model is still there.
func kept(path string, k policy.Known, ran map[string]bool) bool {
	checker, _, _ := strings.Cut(k.Rule, "/")
	if ran[k.Model+"\x00"+checker] {
		return false
	}
	return onDisk(filepath.Join(filepath.Dir(path), filepath.FromSlash(k.Model))) || !isFile.MatchString(k.Model)
}

// isFile tells the path of a file, which may be gone, from the id of a model, which lies elsewhere.
var isFile = regexp.MustCompile(`\.(graph|txt|json|onnx|gguf|safetensors|py)(:[^/]*)?$`)

func baselineText(p *page, b *baselineJSON) {
	for _, list := range []struct {
		word  string
		known []policy.Known
	}{{"new", b.Added}, {"stale", b.Stale}} {
		for _, k := range list.known {
			where := k.Model
			if k.Component != "" {
				where += ", " + k.Component
			}
			times := ""
			if k.Count > 1 {
				times = fmt.Sprintf(" (%d times)", k.Count)
			}
			p.line("%s  %s: %s%s", p.word(list.word, 5), where, k.Rule, times)
		}
	}
	verb := "would have"
	if b.Written {
		verb = "has"
	}
	p.line("%s %s %s: %d new, %d stale", b.File, verb, plural(b.Findings, "finding"), len(b.Added), len(b.Stale))
}

// replaceFile writes a file so that whoever reads it sees the old text or the new one, and leaves it alone where nothing changes.
func replaceFile(path string, data []byte) (err error) {
	if old, err := readFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
			err = fmt.Errorf("%w: %w", errWrite, err)
		}
	}()
	_, failed := f.Write(data)
	if err = errors.Join(failed, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
