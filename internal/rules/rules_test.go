package rules

import (
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// lint reads a graph in the short notation and runs every rule on it.
func lint(t *testing.T, text string) (*graph.Graph, []Finding) {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	g.Normalize(catalog.Vocabulary)
	return g, All(infer.Walk(g))
}

// wanted returns the ids of the components whose line ends in "// want"; the empty id stands for the graph itself.
func wanted(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		head, ok := strings.CutSuffix(strings.TrimSpace(line), "// want")
		if !ok {
			continue
		}
		id, _, _ := strings.Cut(head, ":")
		id, _, _ = strings.Cut(strings.TrimSpace(id), " ")
		out = append(out, strings.Trim(id, `"`))
	}
	sort.Strings(out)
	return out
}

func TestEveryExampleHolds(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			fires, silent := 0, 0
			for _, text := range rule.Examples {
				want := wanted(text)
				if len(want) > 0 {
					fires++
				} else {
					silent++
				}
				g, findings := lint(t, text)
				var got, others []string
				for _, f := range findings {
					if f.Rule.Severity == Block && f.Rule.ID != rule.ID {
						others = append(others, f.Rule.ID+": "+f.Message)
					}
					if f.Rule.ID != rule.ID {
						continue
					}
					id := ""
					if f.Node >= 0 {
						id = g.Components[f.Node].ID
					}
					got = append(got, id)
				}
				sort.Strings(got)
				if strings.Join(got, ",") != strings.Join(want, ",") {
					t.Errorf("want it on %q, got it on %q (beside %q) in\n%s", want, got, others, text)
				}
				if len(others) > 0 {
					t.Errorf("another rule blocks the example (%q), so it shows more than one fault:\n%s", others, text)
				}
			}
			if fires == 0 || silent == 0 {
				t.Errorf("%d examples fire and %d do not: needs one of each", fires, silent)
			}
		})
	}
}

func TestEveryRuleIsDocumented(t *testing.T) {
	for _, r := range Rules() {
		if r.Title == "" || len(r.Doc) < 60 || r.Source == "" || r.Severity == "" {
			t.Errorf("%s: title, doc, source or severity is missing", r.ID)
		}
	}
}
