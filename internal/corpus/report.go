package corpus

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Report is the corpus in numbers. A group of fewer than Least structures is not in it: a number about few structures would
// say something about those who sent them.
type Report struct {
	Rows       int64            `json:"rows"`
	Structures int64            `json:"structures"`
	Since      *string          `json:"since"` // a day, null where there is too little to report
	Verdicts   map[string]int64 `json:"verdicts"`
	Rules      []RuleRows       `json:"rules"`
	Types      []Count          `json:"types"`
}

// RuleRows is on how many rows a rule fired.
type RuleRows struct {
	Fired
	Rows int64 `json:"rows"`
}

// newReport writes groups down, the most frequent first.
func newReport(groups []Group, since int64) *Report {
	r := &Report{Verdicts: map[string]int64{}, Rules: []RuleRows{}, Types: []Count{}}
	small := false // whether a verdict is left out
	for _, g := range groups {
		switch shown := g.Structures >= Least; {
		case !shown:
			small = small || g.Kind == GroupVerdict
		case g.Kind == GroupTotal:
			day := time.Unix(since*24*60*60, 0).UTC().Format(time.DateOnly)
			r.Rows, r.Structures, r.Since = g.Count, g.Structures, &day
		case g.Kind == GroupVerdict:
			r.Verdicts[g.Name] = g.Count
		case g.Kind == GroupRule:
			r.Rules = append(r.Rules, RuleRows{Fired{g.Name, g.Severity}, g.Count})
		case g.Kind == GroupType:
			r.Types = append(r.Types, Count{g.Name, g.Count})
		}
	}
	if small { // the rows that are missing from the others would be those of the small one
		clear(r.Verdicts)
	}
	slices.SortFunc(r.Rules, func(a, b RuleRows) int {
		return cmp.Or(-cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.RuleID, b.RuleID), cmp.Compare(a.Severity, b.Severity))
	})
	slices.SortFunc(r.Types, func(a, b Count) int {
		return cmp.Or(-cmp.Compare(a.Components, b.Components), cmp.Compare(a.Type, b.Type))
	})
	return r
}

// How long a report is good for, and a failure to make one.
const (
	reportAge    = time.Minute
	failureAge   = time.Second
	queryTimeout = 5 * time.Second
)

// Reporter makes reports, and makes them again at most once a minute. It may be used by many at the same time.
type Reporter struct {
	store Store
	clock func() time.Time
	turn  chan struct{} // holds one: whoever has it asks the store

	mu     sync.Mutex
	report *Report
	err    error
	until  time.Time // while report or err is good
}

// NewReporter returns a reporter on a store.
func NewReporter(store Store, clock func() time.Time) *Reporter {
	return &Reporter{store: store, clock: clock, turn: make(chan struct{}, 1)}
}

// Report returns a report that is at most a minute old. It belongs to all: do not change it.
func (r *Reporter) Report(ctx context.Context) (*Report, error) {
	if report, good, err := r.last(); good {
		return report, err
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if report, good, err := r.last(); good { // somebody has asked in the meantime
		return report, err
	}
	// Others wait for the answer, whether or not this caller stays.
	asked := r.clock()
	query, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
	defer cancel()
	groups, since, err := r.store.Groups(query)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err = err; err != nil {
		r.report, r.until = nil, r.clock().Add(failureAge)
		return nil, err
	}
	r.report, r.until = newReport(groups, since), asked.Add(reportAge)
	return r.report, nil
}

// last returns the last answer, and whether it is still good.
func (r *Reporter) last() (report *Report, good bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.report, (r.report != nil || r.err != nil) && r.clock().Before(r.until), r.err
}
