package layout

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/rules"
)

// Rule is a condition of a framework, or advice.
type Rule struct {
	ID, Title string
	Severity  rules.Severity // the worst that its findings have
}

// Rules lists what can be found under a framework, or under any of them for the empty name, sorted by id. Of titles that differ
// between frameworks the first one's counts.
func Rules(name string) []Rule {
	list := []Rule{
		{"layout-bubble", "The pipeline waits for more than half of a step", rules.Warn},
		{keptLength.id, keptLength.title, rules.Warn},
		{"layout-memory", "A stage does not fit on the card", rules.Warn},
		{"layout-size", "A size of the layout is out of range", rules.Block},
	}
	add := func(all []rule, s rules.Severity) {
		for _, r := range all {
			list = append(list, Rule{r.id, r.title, s})
		}
	}
	for _, f := range Frameworks {
		if name == "" || name == f {
			add(frameworkOf(f).rules, rules.Block)
		}
	}
	for _, f := range Frameworks {
		if name == "" || name == f {
			add(frameworkOf(f).advice, rules.Warn)
		}
	}
	slices.SortStableFunc(list, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b Rule) bool { return a.ID == b.ID })
}
