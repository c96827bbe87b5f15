package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/manifest"
	"github.com/modelverifier/verifier/internal/ruleset"
)

// verification is what verify-attestation finds, and what it prints as JSON.
type verification struct {
	Verdict string      `json:"verdict"` // reproduced, valid, mismatch, other-version or refused
	Result  string      `json:"result"`  // of the record: PASSED, WARNED or FAILED
	Command []string    `json:"command"`
	Root    string      `json:"rootDigest"`
	Order   string      `json:"order"`   // name, or parts: that in which the root digest is made of the files
	Ignored []string    `json:"ignored"` // paths of the model that are in no digest
	Steps   []step      `json:"steps"`
	Missing []string    `json:"missing,omitempty"` // files of the record that the model does not have
	Extra   []string    `json:"extra,omitempty"`
	Changed []string    `json:"changed,omitempty"`
	Differs *difference `json:"difference,omitempty"`

	record *attest.Record
	order  attest.Order
}

// step is one thing that was looked at.
type step struct {
	Name   string `json:"name"`
	Status string `json:"status"` // pass, fail, other, skipped, unverified, refuses
	Detail string `json:"detail"`
}

// difference is the first byte in which the record of the rerun is another.
type difference struct {
	Offset   int    `json:"offset"`
	Line     int    `json:"line"`
	Recorded string `json:"recorded"` // the line
	Now      string `json:"now"`
}

// The words of a verification.
const (
	reproduced   = "reproduced"
	validRecord  = "valid" // with --no-rerun
	mismatch     = "mismatch"
	otherVersion = "other-version"
	notEnough    = "refused" // true, and not what the caller requires

	passes  = "pass"
	fails   = "fail"
	differs = "other"
	skipped = "skipped"

	unverified = "unverified" // claimed by the record, and proved by nothing here
	refuses    = "refuses"    // a requirement is not met
)

var _ = register(func() *cobra.Command {
	c := &cobra.Command{
		Use:   "verify-attestation RECORD MODEL",
		Short: "Prove that a record is true of a model: signature, files, rule set, and the run again",
		Long: `Reads a record strictly and checks its signature, its schema and its consistency. Then it digests
every file of MODEL, compares the digests of the rule set with those of this program, runs the
recorded command on MODEL again, and compares the two records byte for byte. MODEL may be anywhere
and have another name. Other files that the command read, such as a policy, are looked up under
their recorded names from --dir.

cosign signs a record with: cosign attest-blob --statement RECORD --bundle RECORD.sigstore.json
and verifies it with: cosign verify-blob-attestation --bundle RECORD.sigstore.json --key KEY
  --type https://in-toto.io/attestation/test-result/v0.1 --digest DIGEST --digestAlg sha256
where DIGEST is what verifier digest MODEL prints behind sha256:

Exit codes: 0 reproduced, 1 something differs, 2 wrong usage or unreadable input, 3 a valid record
of another version of this program, which cannot be run again. A true record of a run that refused
the model is reproduced too, with exit code 0: --require passed makes that 1, as well as warnings,
--require warned allows warnings.`,
		Args: cobra.ExactArgs(2),
		RunE: verifyAttestation,
	}
	c.Flags().String("key", "", "the public `key` that must have signed the record: PEM, Ed25519 or ECDSA P-256")
	c.Flags().String("dir", "", "the `folder` that the recorded command is run in; by default the working directory")
	c.Flags().Bool("no-rerun", false, "do not run the command again")
	requireFlags(c)
	return c
})

func verifyAttestation(cmd *cobra.Command, args []string) error {
	asked, err := requirementsOf(cmd)
	if err != nil {
		return err
	}
	v, err := openRecord(cmd, args[0])
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd)
	defer stop()
	at, err := locate(ctx, cmd, args[1])
	if err != nil {
		return err
	}
	if v.invariants() {
		if err := v.files(ctx, cmd, at); err != nil {
			return err
		}
		v.claims(at)
		v.ruleSet()
		if err := v.again(ctx, cmd, args[1]); err != nil {
			return err
		}
	}
	v.conclude()
	if v.require(asked); v.has(refuses) && v.Verdict != mismatch {
		v.Verdict = notEnough
	}
	if err := v.print(cmd); err != nil {
		return err
	}
	switch v.Verdict {
	case mismatch, notEnough:
		return errGated
	case otherVersion:
		return errVersion
	}
	return nil
}

func (v *verification) step(name, status, format string, args ...any) {
	v.Steps = append(v.Steps, step{name, status, fmt.Sprintf(format, args...)})
}

func (v *verification) has(status string) bool {
	return slices.ContainsFunc(v.Steps, func(s step) bool { return s.Status == status })
}

// openRecord reads the record and checks its signature.
func openRecord(cmd *cobra.Command, name string) (*verification, error) {
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, err
	}
	record, err := attest.Parse(data)
	if err != nil {
		return nil, (&input{name: name}).wrap(err)
	}
	p := &record.Statement.Predicate
	v := &verification{record: record, Result: p.Result, Command: p.Precheck.Argv, Root: p.Precheck.SubjectSource.RootDigest.SHA256}
	v.step("record", passes, "%s of %s: %s", record.Form, manifest.Shown(p.Precheck.SubjectSource.ModelName), p.Result)
	file := given(cmd, "key")
	if file == "" {
		if record.Form == attest.Plain {
			v.step("signature", skipped, "the record is not signed")
		} else {
			v.step("signature", skipped, "not checked: give --key")
		}
		return v, nil
	}
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	key, err := attest.ParsePublicKey(text)
	if err != nil {
		return nil, fmt.Errorf("--key: %s %w", file, err)
	}
	switch {
	case record.Form == attest.Plain:
		v.step("signature", fails, "the record is not signed")
	case !record.Verify(key):
		v.step("signature", fails, "not made with this key over these bytes")
	default:
		v.step("signature", passes, "made with this key")
	}
	return v, nil
}

// invariants reports whether the record agrees with itself. What follows makes no sense of one that does not.
func (v *verification) invariants() bool {
	order, err := v.record.Statement.Check()
	if err != nil {
		v.step("consistency", fails, "%v", err)
		return false
	}
	v.order, v.Order = order, string(order)
	v.step("consistency", passes, "lists, digests, result and exit code agree")
	return true
}

// files digests the model as the record says, and compares.
func (v *verification) files(ctx context.Context, cmd *cobra.Command, at *located) error {
	src := &v.record.Statement.Predicate.Precheck.SubjectSource
	l, err := at.list(ctx, cmd, src.Serialization.IgnorePaths, src.Serialization.AllowSymlinks)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	if single := src.Kind == attest.SingleFile; single != l.Single {
		v.step("files", fails, "the record is of a %s, but %s is not one", map[bool]string{true: "single file", false: "folder"}[single], manifest.Shown(at.path))
		return nil
	}
	m, err := l.Hash(ctx)
	if err != nil {
		return err
	}
	if l.Single {
		m.Files[0].Name = src.ModelName // it may have another name here
	}
	now := map[string]string{}
	for _, f := range m.Files {
		now[f.Name] = f.Sum.Digest().SHA256
	}
	for _, s := range v.record.Statement.Files() {
		switch sum, there := now[s.Name]; {
		case !there:
			v.Missing = append(v.Missing, s.Name)
		case sum != s.Digest.SHA256:
			v.Changed = append(v.Changed, s.Name)
		}
		delete(now, s.Name)
	}
	for name := range now {
		v.Extra = append(v.Extra, name)
	}
	slices.Sort(v.Extra)
	if n := len(v.Missing) + len(v.Extra) + len(v.Changed); n > 0 {
		v.step("files", fails, "%d missing, %d extra, %d changed of %d", len(v.Missing), len(v.Extra), len(v.Changed), src.Files)
		return nil
	}
	v.step("files", passes, "%s, root sha256:%s by %s", plural(src.Files, "file"), src.RootDigest.SHA256, v.order)
	return nil
}

// ruleSet compares what decided the verdict with what this program is made of.
func (v *verification) ruleSet() {
	p := &v.record.Statement.Predicate
	recorded := map[string]string{}
	for _, d := range p.Configuration[1:] {
		if d.Annotations == nil && d.Digest != nil {
			recorded[d.Name] = d.Digest.SHA256
		}
	}
	files := attest.RuleFiles(v.record.Statement.Importers())
	var other []string
	for _, f := range files {
		if recorded[f.Path] != f.SHA256 {
			other = append(other, f.Path)
		}
		delete(recorded, f.Path)
	}
	for name := range recorded {
		other = append(other, name)
	}
	slices.Sort(other)
	switch here := Version; {
	case len(other) > 0:
		v.step("rule set", differs, "%s from this program's, %s first; the record is of version %s, this is %s", differing(len(other)), manifest.Shown(other[0]),
			p.Precheck.Tool.Version, here)
	case p.Precheck.Tool.Version != here: // two builds of one commit may be stamped in two ways, and decide the same
		v.step("rule set", passes, "%s", compared(files))
		v.step("version", unverified, "the record says %s, this is %s: the same files decide", manifest.Shown(p.Precheck.Tool.Version), here)
	default:
		v.step("rule set", passes, "%s, version %s", compared(files), here)
	}
}

func differing(n int) string {
	if n == 1 {
		return "1 file or module differs"
	}
	return fmt.Sprintf("%d files or modules differ", n)
}

// compared is how much of the rule set was compared.
func compared(files []ruleset.File) string {
	modules := 0
	for _, f := range files {
		if f.IsModule() {
			modules++
		}
	}
	return plural(len(files)-modules, "file") + " and " + plural(modules, "module")
}

// again runs the command and compares the records.
func (v *verification) again(ctx context.Context, cmd *cobra.Command, model string) error {
	if no, _ := cmd.Flags().GetBool("no-rerun"); no || v.has(differs) || v.has(fails) {
		why := "an earlier step fails"
		switch {
		case no:
			why = "--no-rerun"
		case v.has(differs):
			why = "only the version that made the record can make it again"
		}
		v.step("rerun", skipped, "%s", why)
		return nil
	}
	if _, err := os.Stat(model); err == nil {
		model = absolute(model)
	}
	if dir := given(cmd, "dir"); dir != "" {
		if err := os.Chdir(dir); err != nil {
			return err
		}
	}
	s := v.record.Statement
	src := &s.Predicate.Precheck.SubjectSource
	r := &rerun{recorded: s, order: v.order, version: s.Predicate.Precheck.Tool.Version, here: model, model: attest.Model{Kind: src.Kind, Name: src.ModelName, Repo: src.Repo, Revision: src.Revision,
		AllowSymlinks: src.Serialization.AllowSymlinks, Ignore: src.Serialization.IgnorePaths}}
	if err := r.do(ctx); err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, manifest.ErrChanged) {
			return err
		}
		v.step("rerun", fails, "the recorded command cannot be run again: %v", err)
		return nil
	}
	if v.Differs = compare(v.record.Payload, r.bytes); v.Differs == nil {
		v.step("rerun", passes, "every byte is the same")
		return nil
	}
	v.step("rerun", fails, "differs at byte %d, line %d%s", v.Differs.Offset, v.Differs.Line, inputsDiffer(s, r.statement))
	return nil
}

func (v *verification) conclude() {
	switch {
	case v.has(fails):
		v.Verdict = mismatch
	case v.has(differs):
		v.Verdict = otherVersion
	case v.Steps[len(v.Steps)-1].Status == skipped:
		v.Verdict = validRecord
	default:
		v.Verdict = reproduced
	}
}

func (v *verification) print(cmd *cobra.Command) error {
	if wantsJSON(cmd) {
		return printJSON(cmd, v)
	}
	p := &page{coloured: wantsColour(cmd.OutOrStdout())}
	p.line("%s: %s", p.word(v.Verdict, 0), v.headline())
	if v.Result == attest.Failed {
		p.line("%s: the recorded run REFUSED this model, and a true record of that is no approval; --require passed makes this command fail", p.word(attest.Failed, 0))
	}
	p.line("")
	for _, s := range v.Steps {
		p.line("%s  %-11s  %s", p.word(s.Status, 10), s.Name, s.Detail)
	}
	for _, list := range []struct {
		word  string
		names []string
	}{{"missing", v.Missing}, {"extra", v.Extra}, {"changed", v.Changed}} {
		for _, n := range list.names {
			p.line("%-7s  %s", list.word, manifest.Shown(n))
		}
	}
	if d := v.Differs; d != nil {
		p.line("recorded  %s", d.Recorded)
		p.line("now       %s", d.Now)
	}
	return printText(cmd, p.String())
}
