package corpus

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

func examine(t *testing.T, text string) *action.Study {
	t.Helper()
	g, err := graph.Decode([]byte(text), "", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return action.Examine(g)
}

const small = `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"a","type":"Linear","params":{"inFeatures":8,"outFeatures":4}},
	{"id":"b","type":"linear","params":{"inFeatures":9,"outFeatures":4}},{"id":"c","type":"linear","params":{"inFeatures":9,"outFeatures":4}},{"id":"w","type":"wobble"},{"id":"v","type":"vobble"},{"id":"o","type":"output"}],
	"connections":[{"from":"x","to":"a"},{"from":"a","to":"b"},{"from":"a","to":"c"},{"from":"b","to":"w"},{"from":"w","to":"o"},{"from":"o","to":"nowhere"}]}`

func TestARowIsWhatAStructureIsMadeOf(t *testing.T) {
	s := examine(t, small)
	r := Of(s, 20_000)
	want := []Count{{"input", 1}, {"linear", 3}, {"output", 1}, {unknownType, 2}}
	if r.Day != 20_000 || r.Fingerprint != s.Walked.Fingerprint() || r.Edges != 6 || !slices.Equal(r.Types, want) {
		t.Errorf("%+v", r)
	}
	for _, f := range []Fired{{"linear-in-mismatch", "block"}, {"unknown-layer-type", "block"}, {"dangling-connection", "block"}} {
		if !slices.Contains(r.Fired, f) {
			t.Errorf("%v did not fire: %v", f, r.Fired)
		}
	}
	if n := len(r.Fired); n != len(slices.Compact(slices.Clone(r.Fired))) || !slices.IsSortedFunc(r.Fired, func(a, b Fired) int { return strings.Compare(a.RuleID, b.RuleID) }) {
		t.Errorf("%v", r.Fired)
	}
	for _, f := range r.Fired {
		if rule := rules.Lookup(f.RuleID); rule == nil || string(rule.Severity) != f.Severity {
			t.Errorf("%v is no rule", f)
		}
	}
	if catalog.Lookup(unknownType) != nil {
		t.Errorf("%s is a type", unknownType)
	}
}

// TestNamesAndNumbersDoNotReachARow changes everything that a row must not tell.
func TestNamesAndNumbersDoNotReachARow(t *testing.T) {
	a := Of(examine(t, small), 1)
	renamed := strings.NewReplacer(`"x"`, `"secret-1"`, `"a"`, `"secret-2"`, `wobble`, `mySecret`, `"name"`, `"n"`).Replace(small)
	b := Of(examine(t, renamed), 1)
	b.Fingerprint = a.Fingerprint // knows the name of the unknown type, as eight digits of a digest
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v and %+v", a, b)
	}
	sized := Of(examine(t, strings.ReplaceAll(small, "8", "16")), 1)
	if sized.Fingerprint == a.Fingerprint {
		t.Error("sizes do not count")
	}
	sized.Fingerprint = a.Fingerprint
	if !reflect.DeepEqual(a, sized) {
		t.Errorf("%+v and %+v", a, sized)
	}
}

func TestRowsHaveTheSameTextExactlyWhereTheyAreEqual(t *testing.T) {
	base := func() Row {
		return Row{Day: 1, Fingerprint: "00000000", Edges: 2, Types: []Count{{"a", 1}}, Fired: []Fired{{"r", "warn"}}}
	}
	seen := map[string]bool{}
	for _, change := range []func(*Row){
		func(*Row) {}, func(r *Row) { r.Day = 2 }, func(r *Row) { r.Fingerprint = "00000001" }, func(r *Row) { r.Edges = 1 }, func(r *Row) { r.Types[0].Type = "b" },
		func(r *Row) { r.Types[0].Components = 2 }, func(r *Row) { r.Types = append(r.Types, Count{"b", 1}) }, func(r *Row) { r.Types = nil },
		func(r *Row) { r.Fired = nil }, func(r *Row) { r.Fired[0].Severity = "block" }, func(r *Row) { r.Fired[0].RuleID = "s" },
	} {
		r, again := base(), base()
		change(&r)
		change(&again)
		if seen[r.text()] || r.text() != again.text() {
			t.Errorf("%+v is written %q", r, r.text())
		}
		seen[r.text()] = true
	}
}

func TestIdsHaveNeitherBlanksNorColons(t *testing.T) {
	for _, typ := range catalog.Types() {
		if strings.ContainsAny(typ.ID, " :\n") {
			t.Errorf("type %q", typ.ID)
		}
	}
	for _, r := range rules.Rules() {
		if strings.ContainsAny(r.ID+string(r.Severity), " :\n") {
			t.Errorf("rule %q", r.ID)
		}
	}
}

func TestADayIsAllThatIsKeptOfATime(t *testing.T) {
	east := time.FixedZone("east", 14*3600)
	for at, want := range map[time.Time]int64{
		time.Unix(0, 0):                            0,
		time.Unix(-1, 0):                           -1,
		time.Unix(-86400, 0):                       -1,
		time.Unix(86399, 999):                      0,
		time.Date(2026, 1, 2, 23, 59, 59, 0, east): 20455,
		time.Date(2026, 1, 3, 13, 59, 59, 0, east): 20455,
		time.Date(2026, 1, 3, 14, 0, 0, 0, east):   20456,
	} {
		if got := Day(at); got != want {
			t.Errorf("%v is day %d, want %d", at, got, want)
		}
	}
}

func TestTheVerdictIsTheWorstOfWhatFired(t *testing.T) {
	for want, fired := range map[string][]Fired{"ok": {{"a", "info"}}, "warn": {{"a", "warn"}, {"b", "info"}}, "block": {{"a", "warn"}, {"b", "block"}, {"c", "info"}}} {
		if r := (Row{Fired: fired}); r.verdict() != want {
			t.Errorf("%v: %s", fired, r.verdict())
		}
	}
}
