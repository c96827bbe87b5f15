package rank

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

// net is a small classifier of some width; a wrong one does not run.
func net(width int, wrong bool) string {
	in := 784
	if wrong {
		in = 783
	}
	return fmt.Sprintf(`{"components":[{"id":"x","type":"input","params":{"shape":[784]}},{"id":"a","type":"linear","params":{"inFeatures":%d,"outFeatures":%d}},`+
		`{"id":"r","type":"relu"},{"id":"b","type":"linear","params":{"inFeatures":%d,"outFeatures":10}},{"id":"o","type":"output"}],`+
		`"connections":[{"from":"x","to":"a"},{"from":"a","to":"r"},{"from":"r","to":"b"},{"from":"b","to":"o"}]}`, in, width, width)
}

func candidate(id, model string) string { return fmt.Sprintf(`{"id":%q,"model":%s}`, id, model) }

func run(t testing.TB, members string, candidates ...string) *Result {
	t.Helper()
	r, err := Decode([]byte(`{"candidates":[`+strings.Join(candidates, ",")+`]`+members+`}`), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return Run(r)
}

// places writes the ranking in a line: id, rank, measured rank, tie.
func places(r *Result) string {
	var out []string
	for _, c := range r.Ranked {
		out = append(out, fmt.Sprintf("%s:%d/%d/%d", c.ID, c.Rank, c.MeasuredRank, c.TiedWith))
	}
	return strings.Join(out, " ")
}

func TestRanksAreSharedAndOnlyTheCallerBreaksTies(t *testing.T) {
	small, wide, wider, broken, worse := candidate("small", net(48, false)), candidate("wide", net(64, false)), candidate("wider", net(640, false)), candidate("broken", net(8, true)), candidate("worse", net(4, true))
	for _, c := range []struct {
		name, members, want, recommended string
		candidates                       []string
		decided                          int
	}{
		{"what runs is tied", "", "small:1/1/2 wide:1/1/2 broken:3/3/0", "", []string{broken, wide, small}, -1},
		{"one alone is recommended", "", "wide:1/1/0 broken:2/2/2 worse:2/2/2", "wide", []string{worse, broken, wide}, -1},
		{"none is recommended where none runs", "", "broken:1/1/2 worse:1/1/2", "", []string{worse, broken}, -1},
		{"fewest parameters first", `,"tieBreak":"params"`, "small:1/1/0 wide:2/1/0 wider:3/1/0 broken:4/4/2 worse:4/4/2", "small", []string{wider, worse, wide, broken, small}, 3},
		{"a rule never lifts a blocked design", `,"tieBreak":"params"`, "wider:1/1/0 worse:2/2/0", "wider", []string{worse, wider}, 0},
		{"equal ones stay tied under a rule", `,"tieBreak":"params"`, "also:1/1/2 small:1/1/2 wide:3/1/0", "", []string{small, wide, candidate("also", net(48, false))}, 3},
		{"cheapest first", `,"tieBreak":"cost"`, "small:1/1/0 widest:2/1/0", "small", []string{candidate("widest", net(100000, false)), small}, 2},
		{"equally cheap where starting takes longer than computing", `,"tieBreak":"cost"`, "small:1/1/2 wider:1/1/2", "", []string{wider, small}, 0},
	} {
		r := run(t, c.members, c.candidates...)
		recommended := ""
		if r.Recommended != nil {
			recommended = *r.Recommended
		}
		if got := places(r); got != c.want || recommended != c.recommended || r.Recommendation == "" {
			t.Errorf("%s: %s, recommended %q (%s), want %s", c.name, got, recommended, r.Recommendation, c.want)
		}
		if (r.TieBreak == nil) != (c.decided < 0) || r.TieBreak != nil && r.TieBreak.Decided != c.decided {
			t.Errorf("%s: %+v", c.name, r.TieBreak)
		}
	}
}

func TestOutcomeFlagsOrderDesignsOfOneTask(t *testing.T) {
	narrow, wide, wider := candidate("narrow", net(4, false)), candidate("wide", net(64, false)), candidate("wider", net(65, false))
	r := run(t, "", narrow, wide, wider)
	if places(r) != "wide:1/1/2 wider:1/1/2 narrow:3/3/0" || r.Recommended != nil {
		t.Errorf("%s, recommended %v", places(r), r.Recommended)
	}
	c := r.Ranked[2]
	if got := strings.Join(c.OutcomeFlags, " "); got != "code-below-classes narrow-head small-capacity thin-passage" || !strings.Contains(strings.Join(c.Reasons, " "), "weigh 4 together") {
		t.Errorf("%s: %v", got, c.Reasons)
	}
	if r := run(t, "", wide, narrow); r.Recommended == nil || *r.Recommended != "wide" || r.Recommendation != "Measurement puts wide first." {
		t.Errorf("%s", r.Recommendation)
	}
	other := candidate("other", strings.ReplaceAll(net(64, false), "784", "783"))
	if r := run(t, "", narrow, other); places(r) != "narrow:1/1/2 other:1/1/2" || !strings.Contains(strings.Join(r.Ranked[0].Reasons, " "), "order nothing here") {
		t.Errorf("two tasks: %s, %v", places(r), r.Ranked[0].Reasons)
	}
}

func TestWhatATieBreakDecidedSaysSo(t *testing.T) {
	r := run(t, `,"tieBreak":"params"`, candidate("a", net(48, false)), candidate("b", net(49, false)), candidate("c", net(49, true)))
	if r.TieBreak.Rule != "params" || !strings.Contains(r.TieBreak.Note, "2 positions") || !strings.Contains(r.Recommendation, "tieBreak params") {
		t.Errorf("%+v, %s", r.TieBreak, r.Recommendation)
	}
	for _, c := range r.Ranked {
		if said := strings.Contains(strings.Join(c.Reasons, " "), "decided by tieBreak params"); said != (c.Tier == Legal) {
			t.Errorf("%s: %v", c.ID, c.Reasons)
		}
	}
}

func TestFields(t *testing.T) {
	r := run(t, "", candidate("a", net(48, false)), candidate("b", net(8, true)), `{"model":`+net(64, false)+`}`)
	if places(r) != "a:1/1/2 candidate-2:1/1/2 b:3/3/0" {
		t.Error(places(r))
	}
	b := r.Ranked[2]
	if b.Tier != Blocked || b.Blocking != 1 || len(b.Reasons) != 1 || !strings.Contains(b.Reasons[0], "inFeatures is 783") || len(b.OutcomeFlags) != 0 {
		t.Errorf("%+v", b)
	}
	a := r.Ranked[0]
	if a.Tier != Legal || a.Blocking != 0 || a.Params != 785*48+490 || a.FitsGPU != "T4" || a.EstCostUSD.Unscaled <= 0 || len(a.OtherStageBlockers) != 0 {
		t.Errorf("%+v", a)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"id":"a","rank":1,"measuredRank":1,"tier":"legal","tiedWith":2,"blocking":0,"warnings":0,"outcomeFlags":[],"params":38170,"estCostUsd":`, `"fitsGpu":"T4","otherStageBlockers":[],"reasons":[`,
		`"recommended":null,"recommendation":"2 candidates share the first rank`, `"budget":{"candidates":3,"blocked":1,"legal":2,"wouldNotRun":["b"],"reclaimed":0.3333}`,
		`"calibration":{"exclusion":{"claim":`, `"graphs":10940,"blocked":`, `"torch":"2.11.0"`, `"ordering":{"claim":`, `"pairwiseAccuracy":0.883,"coverage":0.8792`} {
		if !strings.Contains(string(data), part) {
			t.Errorf("no %s in %s", part, data)
		}
	}
	if strings.Contains(string(data), "tieBreak") {
		t.Error("an echo of nothing")
	}
}

func TestWhatIsFoundPastPreflightIsReportedAsCheckDoesAndNotRankedOn(t *testing.T) {
	large := `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"e","type":"embedding","params":{"numEmbeddings":20000000,"embeddingDim":8192}},{"id":"o","type":"output"}],` +
		`"connections":[{"from":"x","to":"e"},{"from":"e","to":"o"}]}`
	r := run(t, "", candidate("large", large), candidate("small", net(8, false)))
	c := r.Ranked[0]
	if places(r) != "large:1/1/2 small:1/1/2" || strings.Join(c.OtherStageWarnings, ", ") != "train: No single GPU holds a training step, deploy: Too large for every deploy target" ||
		c.FitsGPU != "none" || len(c.OtherStageBlockers) != 0 || c.Warnings != 2 {
		t.Errorf("%s: %+v", places(r), c)
	}
}

// rank and check find the same: as many blocks and warnings, and the same ones past preflight.
func TestRankAndCheckAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := candidates(t)
		for _, got := range Run(&Request{Candidates: clones(list)}).Ranked {
			i := slices.IndexFunc(list, func(c Candidate) bool { return c.ID == got.ID })
			blocks, warns, later := 0, 0, []string{}
			for _, f := range check.Run(&check.Request{Model: list[i].Model.Clone()}).Findings {
				switch {
				case f.Severity == rules.Block && f.Stage == action.Preflight:
					blocks++
				case f.Severity == rules.Block:
					later = append(later, f.Stage+": "+f.Title)
				default:
					warns++
				}
			}
			if got.Blocking != blocks || got.Warnings != warns || !slices.Equal(got.OtherStageBlockers, later) {
				t.Fatalf("%+v, but check has %d blocks, %d warnings and %v", got, blocks, warns, later)
			}
		}
	})
}

// A call tells about one model, however many candidates it has.
func TestOneCandidateIsTold(t *testing.T) {
	small, wide, broken := candidate("small", net(48, false)), candidate("wide", net(64, false)), candidate("broken", net(4, true))
	for _, c := range []struct {
		members    string
		candidates []string
		params     int64
	}{
		{"", []string{broken, wide}, 785*64 + 650},
		{"", []string{wide, small}, 785*64 + 650},
		{`,"tieBreak":"params"`, []string{wide, small}, 785*48 + 490},
	} {
		q, err := Decode([]byte(`{"candidates":[`+strings.Join(c.candidates, ",")+`]`+c.members+`}`), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		var told []int64
		q.Examined = func(s *action.Study) { told = append(told, s.Params()) }
		if Run(q); len(told) != 1 || told[0] != c.params {
			t.Errorf("%v: told %v, want %d", c.candidates, told, c.params)
		}
	}
}

func TestAPolicyBlocksWithoutACrash(t *testing.T) {
	r := run(t, `,"policy":{"max_params":"10K"}`, candidate("a", net(8, false)), candidate("b", net(800, false)), candidate("c", net(8, true)))
	if places(r) != "a:1/1/0 b:2/2/2 c:2/2/2" || r.Budget.Blocked != 2 || strings.Join(r.Budget.WouldNotRun, " ") != "c" || !strings.Contains(r.Ranked[1].Reasons[0], "policy: max_params: 10K") {
		t.Errorf("%s: %+v, %v", places(r), r.Budget, r.Ranked[1].Reasons)
	}
}

func TestDecodeRefusesWithCodeAndPath(t *testing.T) {
	ok := candidate("a", net(8, false))
	for _, c := range []struct {
		body, code, path string
		limit            int64
	}{
		{`{}`, graph.CodeMissing, "candidates", 0},
		{`{"candidates":[]}`, graph.CodeMissing, "candidates", 0},
		{`{"candidates":null}`, graph.CodeMissing, "candidates", 0},
		{`{"candidates":{}}`, graph.CodeType, "candidates", 0},
		{`{"candidates":"a"}`, graph.CodeType, "candidates", 0},
		{`{"candidates":[{}]}`, graph.CodeMissing, "candidates[0].model", 0},
		{`{"candidates":[` + ok + `,7]}`, graph.CodeType, "candidates[1]", 0},
		{`{"candidates":[` + ok + `,{"model":{}}]}`, graph.CodeMissing, "candidates[1].model", 0},
		{`{"candidates":[{"id":7,"model":{"components":[]}}]}`, graph.CodeType, "candidates[0].id", 0},
		{`{"candidates":[` + ok + `,` + ok + `]}`, action.CodeSameID, "candidates[1].id", 0},
		{`{"candidates":[{"model":{"components":[]}},{"id":"candidate-0","model":{"components":[]}}]}`, action.CodeSameID, "candidates[1].id", 0},
		{`{"candidates":[{"model":{"components":[{"type":"input","params":{"shape":[0]}}]}}]}`, action.CodeShape, "candidates[0].model.components[0].params.shape[0]", 0},
		{`{"candidates":[` + ok + `],"tieBreak":"speed"}`, action.CodeValue, "tieBreak", 0},
		{`{"candidates":[` + ok + `],"tieBreak":1}`, graph.CodeType, "tieBreak", 0},
		{`{"candidates":[` + ok + `],"policy":{"x":1}}`, "unknown-key", "policy.x", 0},
		{`{"candidates":[` + strings.Repeat(`{"model":{"components":[]}},`, 20) + `{"model":{"components":[]}}]}`, graph.CodeCandidates, "candidates", 20},
		{`{"candidates":[` + strings.Repeat(`{"model":{"components":[]}},`, 19) + `{"model":{"components":[]}}]}`, "", "", 0},
	} {
		_, err := Decode([]byte(c.body), graph.ServiceLimits)
		var e *graph.Error
		if errors.As(err, &e) != (c.code != "") || e != nil && (e.Code != c.code || e.Path != c.path || e.Limit != c.limit) {
			t.Errorf("%.200s: %#v, want %s at %s", c.body, err, c.code, c.path)
		}
	}
}

// candidates draws up to six of the bundled models, some of them broken.
func candidates(t *rapid.T) []Candidate {
	var out []Candidate
	for i := range rapid.IntRange(1, 6).Draw(t, "candidates") {
		g, err := models.Open(rapid.SampledFrom(models.List()).Draw(t, "model"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "broken") {
			g.Connections = g.Connections[1:]
		}
		out = append(out, Candidate{ID: fmt.Sprint("c", i), Model: g})
	}
	return out
}

func clones(list []Candidate) []Candidate {
	out := make([]Candidate, len(list))
	for i, c := range list {
		out[i] = Candidate{ID: c.ID, Model: c.Model.Clone()}
	}
	return out
}

func TestTheOrderOfCandidatesDoesNotShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, rule := candidates(t), rapid.SampledFrom([]string{"", ByCost, ByParams}).Draw(t, "rule")
		shuffled := rapid.Permutation(clones(list)).Draw(t, "order")
		a, _ := json.Marshal(Run(&Request{Candidates: list, TieBreak: rule}))
		b, _ := json.Marshal(Run(&Request{Candidates: shuffled, TieBreak: rule}))
		if string(a) != string(b) {
			t.Fatalf("%s, then %s", a, b)
		}
	})
}

func TestMemoryThatWasUsedDoesNotShow(t *testing.T) {
	room := new(action.Room)
	rapid.Check(t, func(t *rapid.T) {
		list := candidates(t)
		alone, _ := json.Marshal(Run(&Request{Candidates: clones(list)}))
		again, _ := json.Marshal(Run(&Request{Candidates: list, room: room}))
		room.Clear()
		if string(alone) != string(again) {
			t.Fatalf("%s, and in a room that was used %s", alone, again)
		}
	})
}

func TestATieBreakStaysInsideMeasuredRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, rule := candidates(t), rapid.SampledFrom([]string{ByCost, ByParams}).Draw(t, "rule")
		plain, ruled := Run(&Request{Candidates: clones(list)}), Run(&Request{Candidates: list, TieBreak: rule})
		was := map[string]Ranked{}
		for _, c := range plain.Ranked {
			if c.Rank != c.MeasuredRank {
				t.Fatalf("%+v without a rule", c)
			}
			was[c.ID] = c
		}
		for i, c := range ruled.Ranked {
			before := was[c.ID]
			size := max(1, before.TiedWith)
			if c.MeasuredRank != before.Rank || c.Rank < before.Rank || c.Rank >= before.Rank+size || c.Tier == Blocked && c.Rank != before.Rank || c.Rank > i+1 {
				t.Fatalf("%+v was %+v", c, before)
			}
		}
		if (plain.Recommended != nil) && *plain.Recommended != *ruled.Recommended {
			t.Fatalf("%s became %s", *plain.Recommended, *ruled.Recommended)
		}
	})
}

func FuzzRank(f *testing.F) {
	f.Add([]byte(`{"candidates":[` + candidate("a", net(8, false)) + `,` + candidate("b", net(8, true)) + `],"tieBreak":"cost","policy":{"max_params":1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Decode(body, graph.ServiceLimits)
		if err != nil {
			return
		}
		res := Run(r)
		if data, err := json.Marshal(res); err != nil || len(res.Ranked) != len(r.Candidates) || res.Ranked[0].Rank != 1 {
			t.Fatalf("%s: %v", data, err)
		}
	})
}
