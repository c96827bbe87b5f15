// Package corpus keeps one anonymous row for each keyed call: what a structure is made of and which rules fired on it.
//
// It knows no SQL, no organisation, no key and no address, and no time finer than a day: what is not here cannot be kept. Rows
// of a day that are equal are one line with a number, so that not even the order of calls is kept.
package corpus

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/rules"
)

// Row is everything that is kept of a call.
type Row struct {
	Day         int64   // days since 1970-01-01, UTC
	Fingerprint string  // 8 hex digits
	Types       []Count // sorted by type
	Edges       int64
	Fired       []Fired // sorted by rule and severity
}

// Count is how many components of a type a structure has.
type Count struct {
	Type       string `json:"type"`
	Components int64  `json:"components"`
}

// Fired is a rule that fired, with its severity.
type Fired struct {
	RuleID   string `json:"ruleId"`
	Severity string `json:"severity"`
}

// Store keeps rows.
type Store interface {
	// Append keeps a batch, all of it or nothing.
	Append(ctx context.Context, b *Batch) error
	// Prune removes the lines of days before one, and returns how many. What was counted of them stays.
	Prune(ctx context.Context, before int64) (removed int64, err error)
	// Groups returns what was counted, and the first day that has a row; no groups where there is none.
	Groups(ctx context.Context) (groups []Group, since int64, err error)
}

// unknownType stands for every type that the catalogue does not have: its name is the caller's own.
const unknownType = "unknown"

// Day is the day of a time, in UTC.
func Day(t time.Time) int64 {
	const day = 24 * 60 * 60
	s := t.Unix()
	if s < 0 {
		s -= day - 1
	}
	return s / day
}

// Of makes the row of a model that was examined. All words in it are ours: none shares memory with the request.
func Of(s *action.Study, day int64) Row {
	return Row{Day: day, Fingerprint: s.Walked.Fingerprint(), Types: types(s), Edges: int64(len(s.Graph.Connections)), Fired: fired(s.Findings)}
}

func types(s *action.Study) []Count {
	of := make(map[*catalog.Type]int64, 16)
	for i := range s.Walked.Nodes {
		of[s.Walked.Nodes[i].Type]++
	}
	out := make([]Count, 0, len(of))
	for t, n := range of {
		id := unknownType
		if t != nil {
			id = t.ID
		}
		out = append(out, Count{id, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Compare(a.Type, b.Type) })
	return out
}

// fired lists each pair once. Lines of the caller's own policy are none of our rules and are not among the findings.
func fired(findings []rules.Finding) []Fired {
	out := make([]Fired, 0, 8)
	for i := range findings {
		f := Fired{findings[i].Rule.ID, string(findings[i].Rule.Severity)}
		if len(out) == 0 || out[len(out)-1] != f { // findings of a rule often follow each other
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b Fired) int {
		return cmp.Or(cmp.Compare(a.RuleID, b.RuleID), cmp.Compare(a.Severity, b.Severity))
	})
	return slices.Compact(out)
}

// verdict is the worst of what fired: block, warn or ok.
func (r *Row) verdict() string {
	worst := "ok"
	for _, f := range r.Fired {
		switch f.Severity {
		case string(rules.Block):
			return string(rules.Block)
		case string(rules.Warn):
			worst = string(rules.Warn)
		}
	}
	return worst
}

// typesText and firedText are how lists are kept: "conv2d:2 relu:1" and "dead-end:warn". Ids have neither blanks nor colons.
func (r *Row) typesText(b []byte) []byte {
	for i, c := range r.Types {
		b = append(separate(b, i), c.Type...)
		b = strconv.AppendInt(append(b, ':'), c.Components, 10)
	}
	return b
}

func (r *Row) firedText(b []byte) []byte {
	for i, f := range r.Fired {
		b = append(separate(b, i), f.RuleID...)
		b = append(append(b, ':'), f.Severity...)
	}
	return b
}

func separate(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ' ')
	}
	return b
}

// text is the whole row: equal exactly where two rows are.
func (r *Row) text() string {
	b := make([]byte, 0, 40+24*len(r.Types)+32*len(r.Fired))
	b = append(strconv.AppendInt(b, r.Day, 10), '\n')
	b = append(append(b, r.Fingerprint...), '\n')
	b = append(strconv.AppendInt(b, r.Edges, 10), '\n')
	b = append(r.typesText(b), '\n')
	return string(r.firedText(b))
}
