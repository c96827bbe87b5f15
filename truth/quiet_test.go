package truth

import (
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/rules"
)

// justified lists, by rule and row, the warnings on clean rows that the rule's page asks for, with the sentence that does.
var justified = map[string]map[string]string{
	"early-collapse": { // random networks whose strides and pools have left one element, with 3×3 convolutions behind
		"cnn-180": "most of its weights never learn",
		"cnn-290": "most of its weights never learn",
		"cnn-652": "most of its weights never learn",
	},
}

// TestDesignRulesAreQuietOnCleanGraphs holds that sensible models get no warning: a warning that fires on them is noise, and
// would teach everyone to ignore the others. It prints how often each rule fires in each family.
func TestDesignRulesAreQuietOnCleanGraphs(t *testing.T) {
	families := []string{}
	counts := map[string]map[string]int{} // rule, family
	for _, r := range graphRows(t) {
		if r.Variant != "clean" {
			continue
		}
		if i := sort.SearchStrings(families, r.Family); i == len(families) || families[i] != r.Family {
			families = append(families, r.Family)
			sort.Strings(families)
		}
		_, findings := r.walk(t)
		seen := map[string]bool{}
		for _, f := range findings {
			if reason := justified[f.Rule.ID][r.ID]; f.Rule.Severity == rules.Warn && (reason == "" || !strings.Contains(f.Rule.Doc, reason)) {
				t.Errorf("%s: %s: %s", r.ID, f.Rule.ID, f.Message)
			}
			if seen[f.Rule.ID] {
				continue
			}
			seen[f.Rule.ID] = true
			if counts[f.Rule.ID] == nil {
				counts[f.Rule.ID] = map[string]int{}
			}
			counts[f.Rule.ID][r.Family]++
		}
	}
	tb := newTable(families...)
	for _, r := range rules.Rules() {
		if r.Severity == rules.Block || counts[r.ID] == nil {
			continue
		}
		row := make([]int, len(families))
		for i, f := range families {
			row[i] = counts[r.ID][f]
		}
		tb.add(r.ID+" ("+string(r.Severity)+")", row...)
	}
	tb.print()
}
