package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Result is how one agent did in one run: what a leaderboard is made of. It has no date and no address, so that the same run gives the
// same bytes.
type Result struct {
	Agent string `json:"agent"` // nothing, random, loop, search; or provider
	Model string `json:"model"` // of a provider, as it names itself; "" for agents that need none
	Seed  uint64 `json:"seed"`
	From  int    `json:"from"` // the first task of each family and split
	N     int    `json:"n"`    // how many of each
	Rows  []Row  `json:"rows"` // in the order in which families and splits are listed
}

// Row is one family in one split.
type Row struct {
	Family   string   `json:"family"`
	Split    string   `json:"split"`
	Tasks    int      `json:"tasks"`
	Passed   int      `json:"passed"`
	Quality  *float64 `json:"quality"`  // mean score of the answers that passed; null where none did
	Steps    int      `json:"steps"`    // changes that were kept, of all tasks
	Gradings int      `json:"gradings"` // how often the verifier graded a try, the answers among them
	Solved   []int    `json:"solved"`   // the numbers of the tasks that passed
}

// Attempt is what came of one task.
type Attempt struct {
	Family, Split   string
	Number          int
	Grade           *Grade
	Steps, Gradings int
}

// Tally makes the rows of attempts, one for each family and split that they name, in the order of their first attempts.
func Tally(attempts []Attempt) []Row {
	rows := []Row{}
	scores := map[int][]float64{}
	for i := range attempts {
		a := &attempts[i]
		at := slices.IndexFunc(rows, func(r Row) bool { return r.Family == a.Family && r.Split == a.Split })
		if at < 0 {
			at, rows = len(rows), append(rows, Row{Family: a.Family, Split: a.Split, Solved: []int{}})
		}
		r := &rows[at]
		r.Tasks, r.Steps, r.Gradings = r.Tasks+1, r.Steps+a.Steps, r.Gradings+a.Gradings
		if a.Grade.Passed {
			r.Passed, r.Solved = r.Passed+1, append(r.Solved, a.Number)
			scores[at] = append(scores[at], a.Grade.Quality.Score)
		}
	}
	for i := range rows {
		rows[i].Quality = mean(scores[i])
	}
	return rows
}

// mean is that of scores, to four digits; nil where there are none.
func mean(scores []float64) *float64 {
	if len(scores) == 0 {
		return nil
	}
	sum := 0.0
	for _, s := range scores {
		sum += s
	}
	m := fourDigits(sum / float64(len(scores)))
	return &m
}

func fourDigits(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Total adds rows up. Its family and split are those that all rows share, or empty.
func Total(rows []Row) Row {
	out := Row{Solved: []int{}}
	sum := 0.0
	for i := range rows {
		r := &rows[i]
		if i == 0 {
			out.Family, out.Split = r.Family, r.Split
		}
		if r.Family != out.Family {
			out.Family = ""
		}
		if r.Split != out.Split {
			out.Split = ""
		}
		out.Tasks, out.Passed = out.Tasks+r.Tasks, out.Passed+r.Passed
		out.Steps, out.Gradings = out.Steps+r.Steps, out.Gradings+r.Gradings
		if r.Quality != nil {
			sum += float64(*r.Quality * float64(r.Passed))
		}
	}
	if out.Passed > 0 {
		m := fourDigits(sum / float64(out.Passed))
		out.Quality = &m
	}
	return out
}

// The bounds of a result that somebody sends: every family in every split has one row, and no sum overflows.
const (
	maxRows  = 1000
	maxCount = 1 << 40
)

// DecodeResult reads a result, and refuses one whose numbers contradict each other.
func DecodeResult(data []byte) (*Result, error) {
	var r Result
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("is no result of a run: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("is no result of a run: something stands behind it")
	}
	if r.Agent == "" || len(r.Rows) == 0 || len(r.Rows) > maxRows {
		return nil, fmt.Errorf("is no result of a run: agent must be a name, and rows from 1 to %d", maxRows)
	}
	for i := range r.Rows {
		if err := r.Rows[i].check(r.From); err != nil {
			return nil, fmt.Errorf("rows[%d]: %w", i, err)
		}
	}
	return &r, nil
}

func familyNames() []string {
	var out []string
	for _, f := range families {
		out = append(out, f.Name)
	}
	return out
}

// check says what in a row cannot be.
func (r *Row) check(from int) error {
	switch {
	case !slices.Contains(familyNames(), r.Family):
		return fmt.Errorf("family is %q but must be one of %s", r.Family, strings.Join(familyNames(), ", "))
	case !slices.Contains(Splits, r.Split):
		return fmt.Errorf("split is %q but must be one of %s", r.Split, strings.Join(Splits, ", "))
	case r.Tasks < 0 || r.Tasks > MaxNumber || r.Steps < 0 || r.Steps > maxCount || r.Gradings < 0 || r.Gradings > maxCount || from < 0 || from > MaxNumber:
		return fmt.Errorf("tasks and from must be from 0 to %d, steps and gradings from 0 to %d", MaxNumber, maxCount)
	case r.Passed != len(r.Solved) || r.Passed > r.Tasks:
		return fmt.Errorf("%d passed of %d tasks, with %d numbers of solved ones", r.Passed, r.Tasks, len(r.Solved))
	case (r.Quality != nil) != (r.Passed > 0) || r.Quality != nil && !(*r.Quality >= 0 && *r.Quality <= 1):
		return errors.New("quality must be from 0 to 1 where a task passed, and null where none did")
	}
	for i, n := range r.Solved {
		if n < from || n >= from+r.Tasks || i > 0 && n <= r.Solved[i-1] {
			return fmt.Errorf("solved must be numbers from %d to %d in rising order", from, from+r.Tasks-1)
		}
	}
	return nil
}
