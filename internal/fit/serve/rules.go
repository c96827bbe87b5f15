package serve

import (
	"cmp"
	"slices"
)

// Rule is what is looked for in a launch command. Its findings block or warn, as the engine does in the case at hand.
type Rule struct{ ID, Title string }

// Rules lists what can be found, sorted by id.
func Rules() []Rule {
	out := make([]Rule, len(ruleTable))
	for i, r := range ruleTable {
		out[i] = Rule{r[0], r[1]}
	}
	slices.SortFunc(out, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
