//go:build unix

package attest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
)

// ignoring is a record with so many files, in folders of a long name, and so many paths that are left out.
func ignoring(files, ignored int) *Statement {
	s := &Statement{Subject: []Subject{{Name: "m"}}}
	folder := strings.Repeat("f", 50)
	for i := range files {
		s.Subject = append(s.Subject, Subject{Name: fmt.Sprintf("%s/b%06d", folder, i)})
	}
	src := &s.Predicate.Precheck.SubjectSource
	src.Kind, src.Files, src.ModelName = Directory, files, "m"
	for i := range ignored {
		src.Serialization.IgnorePaths = append(src.Serialization.IgnorePaths, fmt.Sprintf("%s/a%06d", folder, i))
	}
	return s
}

// TestManyNamesCostLittle compares lists as long as a record has room for, whose comparison in pairs takes ten seconds and more.
func TestManyNamesCostLittle(t *testing.T) {
	s := ignoring(40_000, 40_000)
	var want, got []string
	for i := range 100_000 {
		want = append(want, fmt.Sprintf("model/rule-of-a-name%06d", i))
	}
	got = append(append(got, want...), "zzz")
	for name, work := range map[string]func(){
		"paths": func() {
			if err := s.source(); err != nil {
				t.Error(err)
			}
		},
		"tests": func() {
			if text := difference(want, got); text != "zzz has no such finding" {
				t.Error(text)
			}
		},
	} {
		if c := adversary.Measure(t, work); !c.Within(adversary.Bar) {
			t.Errorf("%s take %.2f s and %d MB", name, c.Seconds, c.Bytes>>20)
		}
	}
}

// TestHoldsWhatIsInAFolder compares with going through all names, of which some go on below a slash.
func TestHoldsWhatIsInAFolder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	path := func() string {
		parts := make([]string, 1+rng.IntN(3))
		for i := range parts {
			parts[i] = []string{"a", "b", "a-", "a.b", "ab"}[rng.IntN(5)]
		}
		return strings.Join(parts, "/")
	}
	for range 20_000 {
		s, refused := ignoring(0, 0), ""
		for range rng.IntN(6) {
			s.Subject = append(s.Subject, Subject{Name: path()})
		}
		p := path()
		for _, f := range s.Files() {
			if refused == "" && (f.Name == p || strings.HasPrefix(f.Name, p+"/")) {
				refused = f.Name
			}
		}
		src := &s.Predicate.Precheck.SubjectSource
		src.Files, src.Serialization.IgnorePaths = len(s.Files()), []string{p}
		err := s.source()
		if (err != nil) != (refused != "") || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("but %q is among", refused)) {
			t.Fatalf("%q of %v: %v, want %q", p, s.Files(), err, refused)
		}
	}
}
