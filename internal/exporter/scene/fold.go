package scene

import (
	"math/bits"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// folder finds what repeats in a list of items. It remembers how far it has compared, so that every two components are compared
// once for each distance between them, however often nothing comes of it.
type folder struct {
	*builder
	items []*piece
	kinds map[int]stretch // by the number of items between those that are compared
	equal map[int]stretch // by the number of components
	far   farthest
}

// stretch is from where to where two lists, one behind the other, are known to be equal.
type stretch struct{ from, to int }

// fold replaces items that repeat one after the other by one group that says how often.
func (b *builder) fold(items []*piece) []*piece {
	f := &folder{b, items, map[int]stretch{}, map[int]stretch{}, newFarthest(b.readers)}
	var out []*piece
	for i := 0; i < len(items); {
		period, times := f.repeats(i)
		if times < 2 {
			out = append(out, items[i])
			i++
			continue
		}
		group := items[i]
		if period > 1 {
			last := items[i+period-1]
			group = &piece{first: items[i].first, n: last.first + last.n - items[i].first, kids: items[i : i+period : i+period]}
		}
		group.times, group.until = times, items[i+period*times-1].title
		if b.open(group) {
			out = append(out, repeats(items[i:i+period*times], period))
			i += period * times
			continue
		}
		for p := group.first + group.n; p < group.first+group.n*times; p++ {
			b.shown[p] = group.first + (p-group.first)%group.n
		}
		out = append(out, group)
		i += period * times
	}
	return out
}

// repeats shows items that repeat one by one, in a group around them all.
func repeats(items []*piece, period int) *piece {
	last := items[len(items)-1]
	all := &piece{first: items[0].first, n: last.first + last.n - items[0].first, title: items[0].title, until: items[len(items)-period].title, opened: len(items) / period}
	if period > 1 {
		all.title, all.until = "", ""
	}
	items[0].times = 0 // unlike what is folded
	for i := 0; i < len(items); i += period {
		part := items[i]
		if period > 1 {
			end := items[i+period-1]
			part = &piece{first: items[i].first, n: end.first + end.n - items[i].first, kids: items[i : i+period : i+period]}
		}
		all.kids = append(all.kids, part)
	}
	return all
}

// maxPeriod bounds the search for repeats: no block of a graph without names has more components.
const maxPeriod = 64

// repeats returns the number of items from i on that repeat, and how often, such that most is folded; 0 where nothing is.
func (f *folder) repeats(i int) (period, times int) {
	saved := 0
	for p := 1; p <= maxPeriod && i+2*p <= len(f.items); p++ {
		size := f.items[i+p].first - f.items[i].first
		t := f.unread(f.items[i].first, size, f.alike(i, p, size))
		worth := t > 2 || size >= 4 || p == 1 && f.items[i].title != ""
		if s := size * (t - 1); t > 1 && s > saved && worth {
			period, times, saved = p, t, s
		}
	}
	return period, times
}

// alike returns how many times the items from i on are there, one after the other: so many items, which have so many components.
func (f *folder) alike(i, period, size int) int {
	items := reach(f.kinds, period, i, len(f.items)-period, func(k int) bool {
		one, two := f.items[k], f.items[k+period]
		return one.n == two.n && (one.title == "") == (two.title == "")
	})
	if items < period {
		return 1
	}
	components := reach(f.equal, size, f.items[i].first, len(f.order)-size, func(p int) bool { return f.builder.equal(p, p+size) })
	return 1 + min(items/period, components/size)
}

// reach returns for how many positions from one on something holds, up to an end, of which a stretch may be known.
func reach(known map[int]stretch, key, from, end int, holds func(at int) bool) int {
	s := known[key]
	if from < s.from || from >= s.to {
		s = stretch{from, from}
		for s.to < end && holds(s.to) {
			s.to++
		}
		known[key] = s
	}
	return s.to - from
}

// equal reports whether two components have one type, the same arguments and the same place in what surrounds them: each input is as
// far away, or the very same.
func (b *builder) equal(p, q int) bool {
	x, y := b.node(p), b.node(q)
	if x.Component.Type != y.Component.Type || x.State != y.State || x.Type == nil || len(b.in[p]) != len(b.in[q]) || !slices.EqualFunc(x.Args, y.Args, graph.Value.Equal) {
		return false
	}
	if x.Type.ID == infer.InputID || x.Type.ID == "output" {
		return false
	}
	for k, j := range b.in[p] {
		if i := b.in[q][k]; i != j+q-p && i != j {
			return false
		}
	}
	return true
}

// unread returns how many of the repeats can be folded such that nothing outside reads one other than the last: folded, that
// connection would be lost.
func (f *folder) unread(first, size, times int) int {
	for times > 1 {
		p, reader := f.far.before(first, first+size*(times-1))
		if reader < first+size*times {
			break
		}
		times = (p-first)/size + 1 // p must be in the last: with fewer repeats its reader is outside all the more
	}
	return times
}

// farthest answers which of a range of positions is read from farthest behind: levels[k][p] is that of the 2^k positions from p on.
type farthest struct {
	last   []int // reader of each position, -1 where there is none
	levels [][]int32
}

func newFarthest(readers [][]int) farthest {
	f := farthest{last: make([]int, len(readers))}
	level := make([]int32, len(readers))
	for p, r := range readers {
		f.last[p], level[p] = -1, int32(p)
		if len(r) > 0 {
			f.last[p] = slices.Max(r)
		}
	}
	for width := 1; ; width *= 2 {
		f.levels = append(f.levels, level)
		if 2*width > len(readers) {
			return f
		}
		next := make([]int32, len(readers)-2*width+1)
		for p := range next {
			next[p] = f.farther(level[p], level[p+width])
		}
		level = next
	}
}

// farther is the one that is read from farther behind, the earlier one of two alike.
func (f *farthest) farther(p, q int32) int32 {
	if f.last[q] > f.last[p] {
		return q
	}
	return p
}

// before returns the position from first to before end that is read from farthest behind, and where.
func (f *farthest) before(first, end int) (p, reader int) {
	k := bits.Len(uint(end-first)) - 1
	at := f.farther(f.levels[k][first], f.levels[k][end-(1<<k)])
	return int(at), f.last[at]
}
