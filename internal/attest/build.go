package attest

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/internal/ruleset"
)

// The tool as others know it.
const (
	toolName   = "verifier"
	modulePath = "github.com/modelverifier/verifier"
	toolPath   = "cmd/verifier"
)

// Model is the model of a run, as its manifest has it.
type Model struct {
	Kind          string // Directory, Hub or SingleFile
	Name          string
	Repo          string // org/name of a model of the hub
	Revision      string // its commit, 40 hex digits
	AllowSymlinks bool
	Ignore        []string // sorted
	Files         []File   // sorted by name
}

// File is a file by its digest.
type File struct {
	Name string
	Sum  Sum
}

// Input is what a record says.
type Input struct {
	Run     *report.Run
	Model   Model
	Argv    []string // without the program and the flags that are about the record
	Version string   // of the tool
	Import  []string // the importers that read a model: folders under internal/importer
	Inputs  []File   // that the run read, beside those of Run.Files
	URL     string   // "" for none
	Time    string   // as 2027-01-31T12:00:00Z, or "" for none
}

// New makes the record of a run.
func New(in *Input) (*Statement, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	verdicts, err := json.Marshal(in.Run.Verdicts)
	if err != nil {
		return nil, fmt.Errorf("attest: verdicts: %w", err)
	}
	sums := make([]Sum, len(in.Model.Files))
	subjects := make([]Subject, 1, len(sums)+1)
	for i, f := range in.Model.Files {
		sums[i] = f.Sum
		subjects = append(subjects, Subject{f.Name, f.Sum.Digest()})
	}
	root := Root(sums).Digest()
	subjects[0] = Subject{in.Model.Name, root}
	tests := testsOf(in.Run)
	return &Statement{
		Type: StatementType, Subject: subjects, PredicateType: PredicateType,
		Predicate: Predicate{
			Result: tests.result(in.Run.ExitCode), Configuration: in.configuration(), URL: in.URL,
			PassedTests: tests.passed, WarnedTests: tests.warned, FailedTests: tests.failed,
			Precheck: Precheck{
				Schema: Schema, Command: in.Run.Command, Model: in.Run.Model, Argv: append([]string{}, in.Argv...), Tool: Tool{toolName, in.Version},
				ExitCode: in.Run.ExitCode, Verdicts: verdicts, Findings: findingsOf(in.Run), Time: in.Time,
				SubjectSource: SubjectSource{
					Kind: in.Model.Kind, ModelName: in.Model.Name, Repo: in.Model.Repo, Revision: in.Model.Revision,
					Serialization:             Serialization{"files", "sha256", in.Model.AllowSymlinks, append([]string{}, in.Model.Ignore...)},
					ModelSigningPredicateType: SigningPredicate, RootDigest: root, Files: len(sums),
				},
			},
		},
	}, nil
}

// isTime is RFC 3339: what it cannot hold, a time with a comma or without a zone, in-toto's consumers do not read either.
var isTime = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`).MatchString

// isAddress is the outline of RFC 3986: a scheme, and no blank or control character behind it.
var isAddress = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]+$`).MatchString

// check refuses what a record cannot hold.
func (in *Input) check() error {
	for what, list := range map[string][]string{"argv": in.Argv, "model": {in.Run.Model}, "--attest-url": {in.URL}, "--attest-time": {in.Time}, "the version": {in.Version}, "ignore_paths": in.Model.Ignore} {
		for _, s := range list {
			if err := text(what, s); err != nil {
				return err
			}
		}
	}
	for _, f := range slices.Concat(in.Model.Files, in.Inputs) {
		if err := text("the name of a file", f.Name); err != nil {
			return err
		}
	}
	return Given(in.URL, in.Time)
}

// Given refuses an address or a time that a record cannot hold.
func Given(address, time string) error {
	if time != "" && !isTime(time) {
		return action.Errorf(action.CodeForm, "--attest-time", "is %q but takes a time such as 2027-01-31T12:00:00Z", time)
	}
	if address != "" && !isAddress(address) {
		return action.Errorf(action.CodeForm, "--attest-url", "is %q but takes an address such as https://ci.example.com/runs/1", address)
	}
	return nil
}

// configuration lists the tool, what it is made of, and what the run read.
func (in *Input) configuration() []Descriptor {
	out := []Descriptor{{Name: toolName, URI: PackageURL(in.Version)}}
	for _, f := range RuleFiles(in.Import) {
		out = append(out, Descriptor{Name: f.Path, Digest: &DigestSet{f.SHA256}})
	}
	read := slices.Clone(in.Inputs)
	for _, f := range in.Run.Files {
		read = append(read, File{f.Name, sha256.Sum256(f.Data)})
	}
	slices.SortFunc(read, func(a, b File) int { return cmp.Or(cmp.Compare(a.Name, b.Name), slices.Compare(a.Sum[:], b.Sum[:])) })
	for _, f := range slices.Compact(read) {
		d := f.Sum.Digest()
		out = append(out, Descriptor{Name: f.Name, Digest: &d, Annotations: &Annotations{RoleInput}})
	}
	return out
}

// importers is where each importer has a folder of its own.
const importers = "internal/importer/"

// RuleFiles are the files and modules that decide or word an answer on a model which these importers read: of other importers none took part.
func RuleFiles(used []string) []ruleset.File {
	return slices.DeleteFunc(ruleset.Files(), func(f ruleset.File) bool {
		name, ok := importerOf(f.Path)
		return ok && !slices.Contains(used, name)
	})
}

func importerOf(path string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(path, importers)
	if !ok {
		return "", false
	}
	name, _, ok = strings.Cut(rest, "/")
	return name, ok
}

// Importers are those whose files are in the record.
func (s *Statement) Importers() []string {
	var out []string
	for _, d := range s.Predicate.Configuration {
		if name, ok := importerOf(d.Name); ok && d.Annotations == nil && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// PackageURL names the command of a version as https://github.com/package-url/purl-spec does. A build that no version was given to is
// v0.0.0-dev: what Go calls it is not a version.
func PackageURL(version string) string {
	if version == "" || version == "dev" || version == "(devel)" {
		version = "v0.0.0-dev"
	}
	var b strings.Builder
	for i := range len(version) {
		if c := version[i]; strings.IndexByte("-._~", c) >= 0 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return "pkg:golang/" + modulePath + "@" + b.String() + "#" + toolPath
}

// tests are the rules of the checkers that ran, as checker/rule, each in one list or in none: one that did not run, only noted something,
// or is switched off, neither passed nor warned. A block that is switched off, waived or known from before still warns: what crashes
// has not passed, whatever a repository makes of it.
type tests struct{ passed, warned, failed []string }

func testsOf(run *report.Run) *tests {
	fired := map[string]int{} // 1 noted, 2 warned, 3 failed
	for i := range run.Findings {
		f := &run.Findings[i]
		rank := 1
		switch {
		case f.Gates:
			rank = 3
		case f.Severity == rules.Block || f.Effective == rules.Block || f.Effective == rules.Warn: // waived, known before, turned off, or below what fails
			rank = 2
		}
		fired[f.Test()] = max(fired[f.Test()], rank)
	}
	t := &tests{[]string{}, []string{}, []string{}}
	for _, r := range run.Rules {
		if r.Withheld == "" && fired[r.Checker+"/"+r.ID] == 0 {
			t.passed = append(t.passed, r.Checker+"/"+r.ID)
		}
	}
	for i := range run.Findings {
		switch test := run.Findings[i].Test(); fired[test] {
		case 3:
			t.failed = append(t.failed, test)
		case 2:
			t.warned = append(t.warned, test)
		}
	}
	for _, list := range []*[]string{&t.passed, &t.warned, &t.failed} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return t
}

// result is what the run came to. It must not say less than the extension does: a consumer that does not know it sees only this.
func (t *tests) result(exitCode int) string {
	switch {
	case exitCode != 0 || len(t.failed) > 0:
		return Failed
	case len(t.warned) > 0:
		return Warned
	}
	return Passed
}

func findingsOf(run *report.Run) []Finding {
	out := []Finding{}
	for i := range run.Findings {
		f := &run.Findings[i]
		gates := f.Gates
		out = append(out, Finding{f.Rule, f.Checker, f.Severity, f.Title, f.Effective, &gates, f.Waived, f.Baseline})
	}
	ranks := map[rules.Severity]int{rules.Block: 0, rules.Warn: 1, rules.Info: 2, policy.Off: 3}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Checker, b.Checker), cmp.Compare(ranks[a.Severity], ranks[b.Severity]), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Title, b.Title))
	})
	return out
}
