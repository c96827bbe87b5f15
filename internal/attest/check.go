package attest

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// Check makes sure of what must hold in a record beyond its schema, and returns the order that its files are in.
func (s *Statement) Check() (Order, error) {
	order, err := s.subjects()
	if err != nil {
		return "", err
	}
	for _, f := range []func() error{s.source, s.tool, s.command, s.lists, s.outcome} {
		if err := f(); err != nil {
			return "", err
		}
	}
	return order, nil
}

// Files are the subjects behind the first.
func (s *Statement) Files() []Subject { return s.Subject[1:] }

// subjects checks names and digests, and finds in which order the root is made of them.
func (s *Statement) subjects() (Order, error) {
	seen := map[string]bool{}
	for i, f := range s.Files() {
		at := fmt.Sprintf("subject[%d].name", i+1)
		if !validName(f.Name) {
			return "", invalid(at, "is %q, which is no path within a model", f.Name)
		}
		if seen[f.Name] {
			return "", invalid(at, "is %q, which is there already", f.Name)
		}
		seen[f.Name] = true
	}
	src := &s.Predicate.Precheck.SubjectSource
	if s.Subject[0].Digest.SHA256 != src.RootDigest.SHA256 {
		return "", invalid("subject[0].digest.sha256", "is not the rootDigest of subjectSource")
	}
	for _, order := range []Order{ByName, ByParts} {
		if slices.IsSortedFunc(s.Files(), func(a, b Subject) int { return order.Compare(a.Name, b.Name) }) {
			var sums []Sum
			for i, f := range s.Files() {
				sum, ok := f.Digest.Sum()
				if !ok {
					return "", invalid(fmt.Sprintf("subject[%d].digest.sha256", i+1), "is no digest")
				}
				sums = append(sums, sum)
			}
			if Root(sums).Digest() != src.RootDigest {
				return "", invalid("predicate.verifierPrecheck.subjectSource.rootDigest.sha256", "is not the digest over those of the files")
			}
			return order, nil
		}
	}
	return "", invalid("subject", "is not sorted by name")
}

// validName reports whether a name is a path within a folder. A backslash is a character like any other.
func validName(name string) bool {
	return name != "" && name[0] != '/' && path.Clean(name) == name && name != "." && name != ".." && !strings.HasPrefix(name, "../") && !strings.ContainsRune(name, 0)
}

func (s *Statement) source() error {
	const at = "predicate.verifierPrecheck.subjectSource."
	src := &s.Predicate.Precheck.SubjectSource
	switch {
	case src.Files != len(s.Files()):
		return invalid(at+"files", "is %d but there are %d files among the subjects", src.Files, len(s.Files()))
	case src.ModelName != s.Subject[0].Name:
		return invalid(at+"modelName", "is %q but the first subject is %q", src.ModelName, s.Subject[0].Name)
	case src.Kind == SingleFile && (src.Files != 1 || s.Subject[1].Name != src.ModelName):
		return invalid(at+"kind", "is file, but the subjects are not that one file")
	case src.Kind == Hub && (src.Repo == "" || path.Base(src.Repo) != src.ModelName):
		return invalid(at+"repo", "is %q but a model of the hub has one that ends in the model's name", src.Repo)
	case !slices.IsSorted(src.Serialization.IgnorePaths) || len(slices.Compact(slices.Clone(src.Serialization.IgnorePaths))) != len(src.Serialization.IgnorePaths):
		return invalid(at+"serialization.ignore_paths", "is not sorted, or has a path twice")
	}
	names := make([]string, len(s.Files()))
	for i, f := range s.Files() {
		names[i] = f.Name
	}
	slices.Sort(names)
	for i, p := range src.Serialization.IgnorePaths {
		if !validName(p) {
			return invalid(fmt.Sprintf(at+"serialization.ignore_paths[%d]", i), "is %q, which is no path within a model", p)
		}
		if src.Kind == SingleFile || !holds(names, p) {
			continue
		}
		first := slices.IndexFunc(s.Files(), func(f Subject) bool { return f.Name == p || strings.HasPrefix(f.Name, p+"/") })
		return invalid(fmt.Sprintf(at+"serialization.ignore_paths[%d]", i), "is %q, but %q is among the subjects", p, s.Files()[first].Name)
	}
	return nil
}

// holds reports whether a path is one of sorted names, or a folder of one.
func holds(names []string, path string) bool {
	if _, found := slices.BinarySearch(names, path); found {
		return true
	}
	i, _ := slices.BinarySearch(names, path+"/")
	return i < len(names) && strings.HasPrefix(names[i], path+"/")
}

func (s *Statement) tool() error {
	version := s.Predicate.Precheck.Tool.Version
	first := s.Predicate.Configuration[0]
	if first.Name != toolName || first.URI != PackageURL(version) {
		return invalid("predicate.configuration[0]", "is %q (%s), but the tool is %s", first.Name, first.URI, PackageURL(version))
	}
	return nil
}

func (s *Statement) command() error {
	p := &s.Predicate.Precheck
	if !slices.Contains(p.Argv, p.Command) {
		return invalid("predicate.verifierPrecheck.argv", "does not hold the command, %s", p.Command)
	}
	if p.Model == "" || !slices.Contains(p.Argv, p.Model) {
		return invalid("predicate.verifierPrecheck.model", "is %q, which is not in argv", p.Model)
	}
	if p.Time != "" && !isTime(p.Time) {
		return invalid("predicate.verifierPrecheck.time", "is %q, which is no time of RFC 3339", p.Time)
	}
	return nil
}

// lists compares the three lists with one another and with the findings.
func (s *Statement) lists() error {
	p := &s.Predicate
	in := map[string]string{}
	for _, l := range []struct {
		name  string
		tests []string
	}{{"passedTests", p.PassedTests}, {"warnedTests", p.WarnedTests}, {"failedTests", p.FailedTests}} {
		if !slices.IsSorted(l.tests) {
			return invalid("predicate."+l.name, "is not sorted")
		}
		for i, t := range l.tests {
			if other := in[t]; other != "" {
				return invalid(fmt.Sprintf("predicate.%s[%d]", l.name, i), "is %q, which is in %s too", t, other)
			}
			in[t] = l.name
		}
	}
	fired := &report.Run{}
	for _, f := range p.Precheck.Findings {
		fired.Findings = append(fired.Findings, report.Finding{Checker: f.Checker, Rule: f.Rule, Severity: f.Severity, Effective: f.effective(), Gates: f.gates()})
	}
	want := testsOf(fired)
	switch {
	case !slices.Equal(want.failed, p.FailedTests):
		return invalid("predicate.failedTests", "is not what the findings give: %s", difference(want.failed, p.FailedTests))
	case !slices.Equal(want.warned, p.WarnedTests):
		return invalid("predicate.warnedTests", "is not what the findings give: %s", difference(want.warned, p.WarnedTests))
	}
	for i, f := range p.Precheck.Findings {
		if in[f.Checker+"/"+f.Rule] == "passedTests" {
			return invalid(fmt.Sprintf("predicate.verifierPrecheck.findings[%d]", i), "is of %s/%s, which is in passedTests", f.Checker, f.Rule)
		}
		if f.gates() && (f.Waived || f.effective() == policy.Off || f.Baseline == report.Existing) {
			return invalid(fmt.Sprintf("predicate.verifierPrecheck.findings[%d].gates", i), "is true of a finding that does not count")
		}
	}
	return nil
}

func (f *Finding) effective() rules.Severity {
	if f.Effective != "" {
		return f.Effective
	}
	return f.Severity
}

// gates is what the finding says, or what follows from the rest of it.
func (f *Finding) gates() bool {
	if f.Gates != nil {
		return *f.Gates
	}
	return f.effective() == rules.Block && !f.Waived && f.Baseline != report.Existing
}

// difference names the first that only one of two sorted lists has.
func difference(want, got []string) string {
	for _, w := range want {
		if _, found := slices.BinarySearch(got, w); !found {
			return w + " is missing"
		}
	}
	for _, g := range got {
		if _, found := slices.BinarySearch(want, g); !found {
			return g + " has no such finding"
		}
	}
	return "the order differs"
}

// outcome checks result and exit code.
func (s *Statement) outcome() error {
	p := &s.Predicate
	want := (&tests{warned: p.WarnedTests, failed: p.FailedTests}).result(p.Precheck.ExitCode)
	switch {
	case p.Result != want:
		return invalid("predicate.result", "is %s, but exit code %d with %d failed and %d warned tests is %s", p.Result, p.Precheck.ExitCode, len(p.FailedTests), len(p.WarnedTests), want)
	case p.Precheck.ExitCode > report.ExitGated:
		return invalid("predicate.verifierPrecheck.exitCode", "is %d, but a run that could not be done leaves no record", p.Precheck.ExitCode)
	case p.Precheck.ExitCode == 0 && len(p.FailedTests) > 0:
		return invalid("predicate.verifierPrecheck.exitCode", "is 0, but a finding gates")
	}
	return nil
}
