// Package importer holds what the importers have in common: the tensors that a model is made of, and the comparison of those that its
// description implies with those that its weights hold.
//
// It must not know any file format or architecture: those are the packages below it.
package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

// Tensor is one named array of numbers. One that was derived and not read leaves DType and Bytes empty where nothing decides them.
type Tensor struct {
	Name  string  `json:"name"`
	DType string  `json:"dtype,omitempty"` // as its format spells it: BF16, Q4_K
	Shape []int64 `json:"shape"`           // as PyTorch orders axes; [] is a single number
	Bytes int64   `json:"bytes,omitempty"`
}

// Elements returns how many numbers the tensor holds, and whether that fits in an int64.
func (t Tensor) Elements() (int64, bool) { return quantity.Mul(t.Shape...) }

func (t Tensor) String() string {
	s := t.Name + " " + ShapeText(t.Shape)
	if t.DType != "" {
		s += " " + t.DType
	}
	return s
}

// ShapeText writes a shape the way the rest of the verifier does: [2,3].
func ShapeText(shape []int64) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, n := range shape {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d", n)
	}
	b.WriteByte(']')
	return b.String()
}

// Total is what a list of tensors adds up to.
type Total struct {
	Tensors  int   `json:"tensors"`
	Elements int64 `json:"elements"`
	Bytes    int64 `json:"bytes,omitempty"`
}

// Sum adds tensors up. The result is false where a sum does not fit in an int64.
func Sum(tensors []Tensor) (Total, bool) {
	t := Total{Tensors: len(tensors)}
	for _, x := range tensors {
		n, fits := x.Elements()
		if !fits {
			return t, false
		}
		if t.Elements, fits = quantity.Add(t.Elements, n); !fits {
			return t, false
		}
		if t.Bytes, fits = quantity.Add(t.Bytes, x.Bytes); !fits {
			return t, false
		}
	}
	return t, true
}

// Difference is a tensor whose shape is not the one derived.
type Difference struct {
	Name    string  `json:"name"`
	Derived []int64 `json:"derived"`
	Stored  []int64 `json:"stored"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: derived %s, stored %s", d.Name, ShapeText(d.Derived), ShapeText(d.Stored))
}

// Report is what Compare found, each list in the order of names.
type Report struct {
	Derived   Total        `json:"derived"`
	Stored    Total        `json:"stored"`
	Matched   int          `json:"matched"`           // of one name and shape
	Missing   []Tensor     `json:"missing,omitempty"` // derived, not stored
	Extra     []Tensor     `json:"extra,omitempty"`   // stored, not derived
	Different []Difference `json:"different,omitempty"`
	Buffers   []Tensor     `json:"buffers,omitempty"`  // stored, and no parameters: statistics, masks; of CompareCheckpoint
	Shared    []Tensor     `json:"shared,omitempty"`   // stored, and the same as another that is derived; of CompareCheckpoint
	Overflow  bool         `json:"overflow,omitempty"` // the totals do not fit in an int64 and mean nothing
}

// Agrees reports whether both lists hold the same tensors.
func (r Report) Agrees() bool {
	return len(r.Missing) == 0 && len(r.Extra) == 0 && len(r.Different) == 0 && !r.Overflow
}

// Differs names what differs, at most a few tensors of it, and "" where nothing does.
func (r Report) Differs() string {
	if r.Agrees() {
		return ""
	}
	if r.Overflow {
		return "there are more than can be counted"
	}
	var parts []string
	for _, list := range []struct {
		n     int
		word  string
		first func() string
	}{
		{len(r.Different), "of another shape", func() string { return r.Different[0].String() }},
		{len(r.Missing), "missing", func() string { return r.Missing[0].Name }},
		{len(r.Extra), "not in the description", func() string { return r.Extra[0].Name }},
	} {
		switch {
		case list.n == 1:
			parts = append(parts, "1 is "+list.word+" ("+list.first()+")")
		case list.n > 1:
			parts = append(parts, fmt.Sprintf("%d are %s (the first is %s)", list.n, list.word, list.first()))
		}
	}
	return strings.Join(parts, ", ")
}

// String says in one line what differs, or that nothing does.
func (r Report) String() string {
	if r.Agrees() {
		return fmt.Sprintf("all %d tensors are stored as derived", r.Matched)
	}
	return fmt.Sprintf("%d tensors are stored as derived, %d missing, %d extra, %d of another shape",
		r.Matched, len(r.Missing), len(r.Extra), len(r.Different))
}

// Compare finds every tensor that is missing from the stored ones, extra in them, or of another shape. A name that one list has more
// often than the other is missing or extra that often. Types are not compared: a checkpoint may be stored in any.
func Compare(derived, stored []Tensor) Report {
	var r Report
	var fits, alsoFits bool
	r.Derived, fits = Sum(derived)
	r.Stored, alsoFits = Sum(stored)
	r.Overflow = !fits || !alsoFits
	derived, stored = sorted(derived), sorted(stored)
	for len(derived) > 0 && len(stored) > 0 {
		d, s := derived[0], stored[0]
		switch c := strings.Compare(d.Name, s.Name); {
		case c < 0:
			r.Missing, derived = append(r.Missing, d), derived[1:]
		case c > 0:
			r.Extra, stored = append(r.Extra, s), stored[1:]
		default:
			if slices.Equal(d.Shape, s.Shape) {
				r.Matched++
			} else {
				r.Different = append(r.Different, Difference{d.Name, d.Shape, s.Shape})
			}
			derived, stored = derived[1:], stored[1:]
		}
	}
	r.Missing = append(r.Missing, derived...)
	r.Extra = append(r.Extra, stored...)
	return r
}

// sorted returns a copy in a total order, so that the order of the lists cannot reach a report.
func sorted(tensors []Tensor) []Tensor {
	out := slices.Clone(tensors)
	slices.SortFunc(out, func(a, b Tensor) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), slices.Compare(a.Shape, b.Shape), strings.Compare(a.DType, b.DType), cmp.Compare(a.Bytes, b.Bytes))
	})
	return out
}
