package corpus

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"
)

// Batch is what is written at once. Its lists are sorted, so that replicas which write at the same time lock in one order.
type Batch struct {
	Lines  []Line
	Groups []Group // the total last: every batch changes it, and it should be locked for the shortest time
}

// Line is a row and how often it came.
type Line struct {
	Day          int64
	Digest       []byte // of the rest but the number: 16 bytes
	Fingerprint  string
	Edges        int64
	Types, Fired string
	Calls        int64
}

// The kinds of groups that are counted.
const (
	GroupTotal   = "total"
	GroupVerdict = "verdict"
	GroupRule    = "rule"
	GroupType    = "type"
	GroupSince   = "since" // no group: its count is the first day that ever had a line, once lines were removed
)

// Group is something that rows are counted under.
type Group struct {
	Kind, Name, Severity string
	// Count is the number of rows or, of a type, of components.
	Count int64
	// Structures is the number of different fingerprints: of the total all, of other groups at most Least.
	Structures int64
	// Fingerprints are those of a batch, sorted.
	Fingerprints []string
}

// Least is how many different structures a group must have before anything is said about it.
const Least = 5

// Counts is how many fingerprints of a group are counted: more than Least only of the total.
func (g *Group) Counts() int64 {
	if g.Kind == GroupTotal {
		return 1 << 62
	}
	return Least
}

// entry is a row that is to be written, and how often it came.
type entry struct {
	row   Row
	text  string
	calls int64
}

// size is about how much memory an entry takes, in bytes.
func (e *entry) size() int64 {
	return 256 + int64(len(e.text)) + 24*int64(len(e.row.Types)) + 32*int64(len(e.row.Fired))
}

func newBatch(entries []*entry) *Batch {
	b := &Batch{Lines: make([]Line, 0, len(entries))}
	groups := map[[3]string]*Group{}
	count := func(kind, name, severity, fingerprint string, n int64) {
		key := [3]string{kind, name, severity}
		g := groups[key]
		if g == nil {
			g = &Group{Kind: kind, Name: name, Severity: severity}
			groups[key] = g
		}
		g.Count += n
		g.Fingerprints = append(g.Fingerprints, fingerprint)
	}
	for _, e := range entries {
		r, digest := &e.row, sha256.Sum256([]byte(e.text))
		b.Lines = append(b.Lines, Line{r.Day, digest[:16], r.Fingerprint, r.Edges, string(r.typesText(nil)), string(r.firedText(nil)), e.calls})
		count(GroupTotal, "", "", r.Fingerprint, e.calls)
		count(GroupVerdict, r.verdict(), "", r.Fingerprint, e.calls)
		for _, f := range r.Fired {
			count(GroupRule, f.RuleID, f.Severity, r.Fingerprint, e.calls)
		}
		for _, t := range r.Types {
			count(GroupType, t.Type, "", r.Fingerprint, e.calls*t.Components)
		}
	}
	slices.SortFunc(b.Lines, func(a, b Line) int { return cmp.Or(cmp.Compare(a.Day, b.Day), slices.Compare(a.Digest, b.Digest)) })
	for g := range maps.Values(groups) {
		slices.Sort(g.Fingerprints)
		g.Fingerprints = slices.Compact(g.Fingerprints)
		b.Groups = append(b.Groups, *g)
	}
	slices.SortFunc(b.Groups, func(a, b Group) int {
		return cmp.Or(last(a)-last(b), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Severity, b.Severity))
	})
	return b
}

func last(g Group) int {
	if g.Kind == GroupTotal {
		return 1
	}
	return 0
}
