package secret

import (
	"regexp"
	"strings"
	"testing"
)

func TestSecretsAreLongAndNeverTheSame(t *testing.T) {
	ids, secrets := map[string]bool{}, map[string]bool{}
	for range 1000 {
		id, s := ID(), New()
		if !regexp.MustCompile(`^[a-z2-7]{26}$`).MatchString(id) || len(s) != Length || !WellFormed("", s) || !WellFormed("mv_", "mv_"+s) {
			t.Fatalf("%q, %q", id, s)
		}
		ids[id], secrets[s] = true, true
	}
	if len(ids) != 1000 || len(secrets) != 1000 {
		t.Errorf("%d ids and %d secrets differ of 1000", len(ids), len(secrets))
	}
}

func TestWhatIsNoSecretIsSeenByItsForm(t *testing.T) {
	s := strings.Repeat("a", Length)
	for _, bad := range []string{"", s[1:], s + "a", "+" + s[1:], "/" + s[1:], " " + s[1:], s[:40] + "é" + "a", "\x00" + s[1:]} {
		if WellFormed("", bad) {
			t.Errorf("%q is taken", bad)
		}
	}
	if WellFormed("mv_", s) || WellFormed("mv_", "mv_") {
		t.Error("taken without its prefix or its rest")
	}
}

func TestDigestsAreComparedWhole(t *testing.T) {
	a, b := Of("a"), Of("a")
	if !a.Equal(b) {
		t.Error("the same differ")
	}
	for i := range a {
		c := a
		c[i] ^= 1
		if a.Equal(c) {
			t.Errorf("byte %d is not compared", i)
		}
	}
}
