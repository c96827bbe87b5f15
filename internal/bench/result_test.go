package bench

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

func TestAttemptsAreCounted(t *testing.T) {
	passed := func(score float64) *Grade { return &Grade{Passed: true, Quality: &Quality{Score: score}} }
	rows := Tally([]Attempt{
		{"repair", Test, 4, passed(1), 2, 3}, {"repair", Test, 5, &Grade{}, 7, 9}, {"repair", Dev, 4, &Grade{}, 0, 1}, {"repair", Test, 6, passed(0.5), 1, 2},
	})
	want := []Row{
		{Family: "repair", Split: Test, Tasks: 3, Passed: 2, Quality: new(0.75), Steps: 10, Gradings: 14, Solved: []int{4, 6}},
		{Family: "repair", Split: Dev, Tasks: 1, Steps: 0, Gradings: 1, Solved: []int{}},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("%+v", rows)
	}
	total := Total(rows)
	if total.Family != "repair" || total.Split != "" || total.Tasks != 4 || total.Passed != 2 || *total.Quality != 0.75 || total.Gradings != 15 {
		t.Errorf("%+v", total)
	}
	data, err := json.Marshal(Result{Agent: "x", From: 4, N: 3, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	if back, err := DecodeResult(data); err != nil || !reflect.DeepEqual(back.Rows, rows) {
		t.Errorf("%+v %v", back, err)
	}
}

func TestAResultThatCannotBeIsRefused(t *testing.T) {
	row := `{"family":"repair","split":"test","tasks":3,"passed":1,"quality":0.5,"steps":1,"gradings":1,"solved":[2]}`
	good := `{"agent":"a","model":"","seed":1,"from":0,"n":3,"rows":[` + row + `]}`
	if _, err := DecodeResult([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for replace, says := range map[string]string{
		`"agent":"a"|"agent":""`:                "agent must be a name",
		`"rows":[|"rws":[`:                      "unknown field",
		row + `|`:                               "rows from 1 to 1000",
		`"repair"|"repiar"`:                     "must be one of",
		`"test"|"tset"`:                         "train, dev, test",
		`"passed":1|"passed":2`:                 "2 passed of 3 tasks",
		`[2]|[3]`:                               "from 0 to 2",
		`[2]|[1]}]} x`:                          "something stands behind",
		`"passed":1|"passed":-1`:                "-1 passed",
		`"quality":0.5|"quality":null`:          "quality must be",
		`"quality":0.5|"quality":1.5`:           "quality must be",
		`"steps":1|"steps":-1`:                  "tasks",
		`{"agent"|[{"agent"`:                    "is no result",
		`"seed":1|"seed":1e400`:                 "is no result",
		`"solved":[2]|"solved":[2],"more":true`: "unknown field",
		`"tasks":3|"tasks":9223372036854775808`: "is no result",
	} {
		old, by, _ := strings.Cut(replace, "|")
		text := strings.Replace(good, old, by, 1)
		if _, err := DecodeResult([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", replace, err, says)
		}
	}
}

// FuzzDecodeResult reads what anybody may send as a result: what is taken has numbers that agree.
func FuzzDecodeResult(f *testing.F) {
	f.Add([]byte(`{"agent":"a","model":"","seed":1,"from":0,"n":3,"rows":[{"family":"repair","split":"test","tasks":3,"passed":1,"quality":0.5,"steps":1,"gradings":1,"solved":[2]}]}`))
	f.Add([]byte(`{"agent":"a","rows":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeResult(data)
		if err != nil {
			return
		}
		total := Total(r.Rows)
		if total.Passed < 0 || total.Passed > total.Tasks || total.Quality != nil && math.IsNaN(*total.Quality) {
			t.Errorf("%+v", total)
		}
	})
}

func TestAnIDThatIsNoneSaysWhatIsAllowed(t *testing.T) {
	for id, says := range map[string]string{
		"repiar/test/1":                      "did you mean repair?",
		"repair/tset/1":                      "which must be one of train, dev, test; did you mean test?",
		"repair/test/-1":                     "a whole number from 0 to 999999999",
		"repair/test/01":                     "a whole number",
		"repair/test/1e9":                    "a whole number",
		"repair/test/":                       "a whole number",
		"repair/test/9999999999999999999999": "a whole number",
		"repair/test":                        "must be family/split/number",
		"":                                   "family/split/number",
	} {
		_, err := Find(id)
		var coded *graph.Error
		if !errors.As(err, &coded) || coded.Path != "task" || action.Status(err) != 422 || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", id, err)
		}
	}
}
