package serve

import (
	"slices"
	"strings"
	"testing"
)

// Values of every kind of flag, flags of other engines, backends and caches: what the parsers take is not blocked, and what they refuse
// is, for the reason that they give.
func TestValuesAndFlagsAreTakenAsTheParsersTakeThem(t *testing.T) {
	all, legal := rows(t, "testdata/parsers.cases"), 0
	for _, r := range all {
		res := Check(modelOf(t, r.model), r.request(t))
		want := strings.Fields(strings.Trim(r.want, "-"))
		if got := blocking(res); !slices.Equal(got, want) {
			t.Errorf("parsers.cases:%d: %s\nblocks %v\nwant   %v (%s)\n%s", r.line, r.command, got, want, r.source, explain(res))
		}
		if len(want) == 0 {
			legal++
		}
	}
	if len(all) < 150 || legal*3 < len(all) {
		t.Errorf("%d commands of which %d are legal: 150 are wanted, and a third", len(all), legal)
	}
	t.Logf("%d commands, %d of them legal", len(all), legal)
}
