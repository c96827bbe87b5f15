package cli

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/manifest"
)

// requirements are what a caller asks of a record beyond that it is true.
type requirements struct {
	result   string // passed or warned, "" for any
	policy   string // digest of a policy file that the run must have read
	revision string // of the hub that the model must have
}

func requireFlags(c *cobra.Command) {
	c.Flags().String("require", "", "exit with 1 unless the `result` of the record is at least this: passed, or warned")
	c.Flags().String("require-policy", "", "exit with 1 unless the run read a policy file with this SHA-256 `digest`, and no flag went over it")
	c.Flags().String("require-revision", "", "exit with 1 unless the record is of this `commit` of the hub, and MODEL is too")
	offer(c, "require", "passed", "warned")
}

var (
	isDigest = regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString
	isCommit = regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString
)

func requirementsOf(cmd *cobra.Command) (*requirements, error) {
	r := &requirements{result: given(cmd, "require"), policy: strings.TrimPrefix(given(cmd, "require-policy"), "sha256:"), revision: given(cmd, "require-revision")}
	switch {
	case cmd.Flags().Changed("require") && r.result != "passed" && r.result != "warned":
		return nil, fmt.Errorf("--require is %q but takes passed or warned", r.result)
	case cmd.Flags().Changed("require-policy") && !isDigest(r.policy):
		return nil, fmt.Errorf("--require-policy is %q but takes a SHA-256 digest of 64 hex digits, such as sha256sum .verifier.yml prints", r.policy)
	case cmd.Flags().Changed("require-revision") && !isCommit(r.revision):
		return nil, fmt.Errorf("--require-revision is %q but takes a commit of 40 hex digits", r.revision)
	}
	return r, nil
}

func (r *requirements) none() bool { return *r == requirements{} }

// claims compares what the record says about the model, beside its files, with the model at hand. Digests do not prove a name.
func (v *verification) claims(at *located) {
	src := &v.record.Statement.Predicate.Precheck.SubjectSource
	if at.name == src.ModelName {
		v.step("name", passes, "%s", manifest.Shown(src.ModelName))
	} else {
		v.step("name", unverified, "the record calls it %s, here it is %s: the files are the same, a name is not part of them", manifest.Shown(src.ModelName), manifest.Shown(at.name))
	}
	repo, revision := at.origin()
	for _, c := range []struct{ name, recorded, here string }{{"repository", src.Repo, repo}, {"revision", src.Revision, revision}} {
		switch {
		case c.recorded == "":
		case c.here == "":
			v.step(c.name, unverified, "the record says %s, and nothing here does: give the id of the hub to compare", manifest.Shown(c.recorded))
		case c.here != c.recorded:
			v.step(c.name, fails, "the record says %s, but MODEL is %s", manifest.Shown(c.recorded), manifest.Shown(c.here))
		default:
			v.step(c.name, passes, "%s, as the cache has it", manifest.Shown(c.here))
		}
	}
	v.Ignored = append([]string{}, src.Serialization.IgnorePaths...)
	var own []string
	for _, p := range v.Ignored {
		if !slices.Contains(manifest.GitPaths, p) {
			own = append(own, manifest.Shown(p))
		}
	}
	if len(own) > 0 {
		v.step("ignored", unverified, "not in the digests, and nothing is said about them: %s", strings.Join(own, ", "))
	}
}

// origin is where a model comes from, as far as the cache says it: by its id, or by where its folder lies.
func (l *located) origin() (repo, revision string) {
	if l.hub {
		return l.repo, l.revision
	}
	full := filepath.ToSlash(absolute(l.path))
	revision, snapshots := path.Base(full), path.Dir(full)
	org, name, found := strings.Cut(strings.TrimPrefix(path.Base(path.Dir(snapshots)), "models--"), "--")
	if path.Base(snapshots) != "snapshots" || !found || !isCommit(revision) {
		return "", ""
	}
	return org + "/" + name, revision
}

// require compares the record with the caller's requirements.
func (v *verification) require(r *requirements) {
	if r.none() {
		return
	}
	proven := v.passed("rerun") || v.passed("signature")
	p := &v.record.Statement.Predicate
	if r.result != "" {
		switch {
		case !proven:
			v.step("require", refuses, "the result is not proven: the run was not repeated, and no signature was checked")
		case p.Result == attest.Failed || r.result == "passed" && p.Result != attest.Passed:
			v.step("require", refuses, "the result is %s, and --require is %s", p.Result, r.result)
		default:
			v.step("require", passes, "the result is %s", p.Result)
		}
	}
	if r.policy != "" {
		v.requirePolicy(r.policy, proven)
	}
	switch src := &p.Precheck.SubjectSource; {
	case r.revision == "":
	case src.Revision != r.revision:
		v.step("require", refuses, "the record is of revision %s, and --require-revision is %s", orNone(src.Revision), r.revision)
	case !v.passed("revision"):
		v.step("require", refuses, "the record says revision %s, which MODEL does not prove: give it as org/name@%s", src.Revision, src.Revision)
	default:
		v.step("require", passes, "revision %s", src.Revision)
	}
}

// requirePolicy asks that the run read a policy file with a digest, and that the command line did not go over it.
func (v *verification) requirePolicy(digest string, proven bool) {
	p := &v.record.Statement.Predicate
	named := func(d attest.Descriptor) bool {
		if path.Base(d.Name) == policyFile {
			return true
		}
		return slices.ContainsFunc(p.Precheck.Argv, func(w string) bool { return strings.TrimPrefix(w, "--policy=") == d.Name })
	}
	held := slices.ContainsFunc(p.Configuration, func(d attest.Descriptor) bool {
		return d.Annotations != nil && d.Digest != nil && d.Digest.SHA256 == digest && named(d)
	})
	loose := slices.IndexFunc(p.Precheck.Argv, func(w string) bool { return w == "--severity" || strings.HasPrefix(w, "--severity=") })
	switch {
	case !proven:
		v.step("require", refuses, "the policy is not proven: the run was not repeated, and no signature was checked")
	case !held:
		v.step("require", refuses, "no policy file of the run has the digest %s", digest)
	case loose >= 0:
		v.step("require", refuses, "the command line went over the policy with %s", manifest.Shown(p.Precheck.Argv[loose]))
	default:
		v.step("require", passes, "the policy %s held", digest)
	}
}

func (v *verification) passed(name string) bool {
	return slices.ContainsFunc(v.Steps, func(s step) bool { return s.Name == name && s.Status == passes })
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// headline says in a sentence what the verdict proves.
func (v *verification) headline() string {
	text := map[string]string{
		reproduced: "the record is true of this model, byte for byte", validRecord: "the record is of this model; the run was not repeated",
		mismatch: "the record is not true of this model", otherVersion: "a valid record of another version of this program; the run was not repeated",
		notEnough: "the record is of this model, but is not what was required",
	}[v.Verdict]
	if v.has(unverified) && v.Verdict != mismatch {
		text += ", apart from what is marked unverified"
	}
	return text
}
