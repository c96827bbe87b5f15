package fix

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
	"github.com/modelverifier/verifier/internal/patch"
)

// candidate is a change that may mend a fault. A smaller cost is a smaller or nearer change, of which more speaks for being meant.
type candidate struct {
	edits []patch.Edit
	cost  int
	what  string
	// several is set where the finding wants any of many values, such as a divisor: then none is chosen.
	several  bool
	order    int  // among them
	respells bool // a name that nothing has
	arg      *keyValue
}

// keyValue is an argument of the caller's with another value.
type keyValue struct{ Name, Value string }

// The costs. The nearest ones are tried first, and those that mend a fault for about the same cost are a choice.
const (
	costSpelling  = 0
	costInsert    = -6 // it fits exactly, where it mends anything
	costEdit      = 6
	costName      = 10
	costTensor    = 24 // another variable of a function that is no constructor
	costSwap      = 5
	costUnbound   = 4
	costAxis      = 16 // another axis of a function that takes one
	costUnused    = 7  // a layer that nothing calls
	costShape     = 20
	costNumber    = 12
	costLiteral   = 30 // a number in place of a name
	costNeighbour = 40
	costFar       = 3 // for each step back
	margin        = 1 // costs that are this near are the same
)

// candidates lists changes for a fault, the cheapest first.
func (x *fault) candidates() []candidate {
	x.offers = offers{seen: map[identity]bool{}}
	for _, offer := range makers {
		x.left = maxLooks
		offer(x)
	}
	return cheapest(x.offers.list)
}

// makers offer candidates, one file for each kind.
var makers = []func(*fault){(*fault).divisors, (*fault).spellings, (*fault).unbound, (*fault).uncalled, (*fault).supers, (*fault).insertions, (*fault).axes,
	(*fault).numbersHere, (*fault).names, (*fault).swaps, (*fault).renames, (*fault).arguments, (*fault).forgotten, (*fault).reshapes, (*fault).neighbours}

// replace is the candidate that writes a node otherwise.
func (c *script) replace(node any, text string, cost int) candidate {
	at := c.spans[node]
	return candidate{edits: []patch.Edit{{Path: c.path, Start: at.Start, End: at.End, New: text}}, cost: cost,
		what: fmt.Sprintf("%s in place of %s", text, clip(c.text[at.Start:at.End]))}
}

// insert is the candidate that puts text at a place.
func (c *script) insert(at int, text string, cost int, what string) candidate {
	return candidate{edits: []patch.Edit{{Path: c.path, Start: at, End: at, New: text}}, cost: cost, what: what}
}

func clip(s string) string {
	if r := []rune(s[:min(len(s), 61*utf8.UTFMax)]); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}

// inside visits the nodes of an expression that stand in the source.
func (x *fault) inside(s step, visit func(any)) {
	if !x.spend(1) {
		return
	}
	python.Each(s.node, func(node any) {
		if _, ok := s.spans[node]; ok && x.spend(1) {
			visit(node)
		}
	})
}

// integers visits the whole numbers that stand on the trail, up to so many steps from the fault, each once.
func (x *fault) integers(far int, visit func(s step, node any, n int64)) {
	done := map[any]bool{}
	for _, s := range x.steps {
		if s.far > far {
			continue
		}
		x.inside(s, func(node any) {
			if n, ok := integer(s.script, node); ok && !done[node] {
				done[node] = true
				visit(s, node, n)
			}
		})
	}
}

// numbersHere are the whole numbers on the trail with those that the finding asks for in their place.
func (x *fault) numbersHere() {
	x.integers(math.MaxInt, func(s step, node any, n int64) {
		for i, v := range x.wantedFor(n) {
			cost := costNumber + costFar*s.far + min(i, 8)/2
			if slices.Contains(x.values, v) && slices.Contains(x.numbers, n) {
				cost = costEdit + costFar*s.far
			} else if v > 8*max(n, 1) {
				cost += 2
			}
			x.offer(cost, func() candidate { return s.replace(node, strconv.FormatInt(v, 10), cost) })
		}
	})
	for _, s := range x.at { // a number in place of a name or of arithmetic
		x.inside(s, func(node any) {
			if call, ok := node.(*python.Call); ok {
				x.literals(s, call)
			}
		})
	}
}

func (x *fault) literals(s step, call *python.Call) {
	for _, a := range call.Args {
		_, plain := integer(s.script, a.Value)
		switch a.Value.(type) {
		case *python.Name, *python.Attr, *python.Binary, *python.Index:
			for _, v := range x.values {
				if _, known := s.spans[a.Value]; known && !plain {
					x.offer(costLiteral, func() candidate { return s.replace(a.Value, strconv.FormatInt(v, 10), costLiteral) })
				}
			}
		}
	}
}

// wantedFor lists the values that a number may have to have: those of the edit, those of the message, and what changes by as much or in
// the same proportion as one of the message's numbers must to become another.
func (x *want) wantedFor(n int64) []int64 {
	var out []int64
	add := func(v int64) {
		if v != n && v >= 0 && !slices.Contains(out, v) && len(out) < 24 {
			out = append(out, v)
		}
	}
	for _, v := range x.values {
		add(v)
	}
	if len(x.numbers) > 12 {
		return out
	}
	for _, v := range x.numbers {
		add(v)
	}
	for _, a := range x.numbers {
		for _, b := range x.numbers {
			if a != b && a > 1 && n > 0 && n < 1<<31 && b < 1<<31 && n*b%a == 0 && n*b/a > 0 {
				add(n * b / a)
			}
		}
	}
	for _, a := range x.numbers {
		for _, b := range x.numbers {
			if a != b && a > 1 && b > 1 {
				add(n + b - a)
			}
		}
	}
	return out
}

// neighbours are small numbers near the fault, a little larger or smaller: strides, paddings, axes.
func (x *fault) neighbours() {
	x.integers(5, func(s step, node any, n int64) {
		var near []int64
		switch {
		case n < -4:
		case n <= 12:
			near = []int64{n - 1, n + 1, n - 2, n + 2, -1, 0, 1, 2, 3, 4, n * 2}
		default:
			near = []int64{n - 1, n + 1, n * 2}
		}
		if n > 1 && n%2 == 0 {
			near = append(near, n/2)
		}
		for i, v := range near {
			if v != n && v >= -4 && !slices.Contains(near[:i], v) {
				x.offer(costNeighbour+costFar*s.far, func() candidate { return s.replace(node, strconv.FormatInt(v, 10), costNeighbour+costFar*s.far) })
			}
		}
	})
}
