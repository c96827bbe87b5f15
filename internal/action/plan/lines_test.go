package plan

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/models/drawn"
)

// What an entry of a plan says: a count of parameters; memory, time and dollars; and that it is a lower bound, or
// that nothing was estimated.
var (
	counts    = regexp.MustCompile(`(?i)[\d.,]+[KMBT]? parameter|parameters[ |]+[\d.,]+`)
	figure    = regexp.MustCompile(`\$[\d.]+|[\d.]+ ([KMGT]i)?B\b|[\d.]+ (ms|s|min|h|hours?|days?)\b`)
	bound     = regexp.MustCompile(`at (the )?least|lower bound|not estimated: `)
	continued = regexp.MustCompile(`\n +`)
)

// TestEveryEntryWithAFigureSaysWhatItLacks is stricter than that a reason stands somewhere: the entry that has the
// figure says that it is a lower bound. Operations are not among them: a plan has them where they are complete, as
// what lacks then counts as none.
func TestEveryEntryWithAFigureSaysWhatItLacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		r := New(&Request{Model: g})
		if len(r.Model.ParamsWithheld)+len(r.Cost.Withheld) == 0 {
			return
		}
		for form, text := range map[string]string{"text": Text(r), "Markdown": Markdown(r), "summary": r.Summary} {
			for entry := range strings.SplitSeq(continued.ReplaceAllString(text, " "), "\n") {
				counted, taken := counts.FindString(entry), figure.FindString(hourly.ReplaceAllString(entry, ""))
				switch {
				case bound.MatchString(entry):
				case counted != "" && len(r.Model.ParamsWithheld) > 0:
					t.Fatalf("%s: %q in %q lacks the weights of %v\n%s", form, counted, entry, r.Model.ParamsWithheld, text)
				case taken != "" && len(r.Cost.Withheld) > 0 && !strings.Contains(entry, "large-activation"): // which is said of one component
					t.Fatalf("%s: %q in %q lacks what %v take\n%s", form, taken, entry, r.Cost.Withheld, text)
				}
			}
		}
	})
}
