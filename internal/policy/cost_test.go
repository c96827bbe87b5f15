package policy

import (
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAnObjectInObjectsIsReadOnce counts bytes: reading each of 60 levels anew took twenty times as many.
func TestAnObjectInObjectsIsReadOnce(t *testing.T) {
	word := strings.Repeat("a", 1<<20)
	deep := strings.Repeat(`{"a":`, 58) + `"` + word + `"` + strings.Repeat("}", 58)
	for name, read := range map[string]func(){
		"policy":   func() { _, _ = Decode(`{"severity":{"high-dropout":`+deep+`}}`, "policy", someGPUs) },
		"unknown":  func() { _, _ = Decode(`{"x":`+deep+`}`, "policy", someGPUs) },
		"baseline": func() { _, _ = someNames.ParseBaseline([]byte(`{"version":1,"findings":[` + deep + `]}`)) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read()
		runtime.ReadMemStats(&after)
		if took := int(after.TotalAlloc - before.TotalAlloc); took > 12*len(word) {
			t.Errorf("%s: %d bytes for a word of %d", name, took, len(word))
		}
	}
}

// slow is what a pattern stands for: a star takes one more byte whenever what follows does not match.
func slow(pattern, s string) bool {
	switch {
	case pattern == "":
		return s == ""
	case pattern[0] == '*':
		return slow(pattern[1:], s) || s != "" && slow(pattern, s[1:])
	}
	return s != "" && (pattern[0] == '?' || pattern[0] == s[0]) && slow(pattern[1:], s[1:])
}

func TestPatternsMatchAsStarsThatTakeByteAfterByteDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringOfN(rapid.SampledFrom([]rune("ab?*é")), 0, 8, -1).Draw(t, "pattern")
		s := rapid.StringOfN(rapid.SampledFrom([]rune("ab*?é")), 0, 8, -1).Draw(t, "text")
		if got, want := glob(pattern, s), slow(pattern, s); got != want {
			t.Errorf("%q on %q: %v, want %v", pattern, s, got, want)
		}
	})
}

func TestAPatternOfAWaiverIsNotLongerThanAnIDNeeds(t *testing.T) {
	file := func(n int) error {
		_, err := ParseFile([]byte("waivers:\n  - {rule: max_params, reason: y, component: '"+strings.Repeat("a", n)+"'}\n"), someNames)
		return err
	}
	if err := file(maxPattern); err != nil {
		t.Error(err)
	}
	want := "line 2: waivers[0].component: is a pattern of 257 bytes, at most 256 are read"
	if err := file(maxPattern + 1); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

func TestWhatTheParserWouldReadAgainAndAgainIsRefused(t *testing.T) {
	_, err := ParseFile([]byte("policy:\n  max_params: "+strings.Repeat("<", 5000)), someNames)
	if err == nil || !strings.Contains(err.Error(), "line 2: has more than 256 times < in a row") {
		t.Error(err)
	}
}
