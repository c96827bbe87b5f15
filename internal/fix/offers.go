package fix

import (
	"cmp"
	"context"
	"slices"

	"github.com/modelverifier/verifier/internal/patch"
)

// What a search for candidates may take. What was written to run comes nowhere near it: 1,700 candidates of 40,000 nodes were seen.
const (
	maxLooks    = 1_000_000    // nodes of the source, for one kind of candidates
	maxOffers   = 2 * maxReads // that are kept, and more than are tried
	maxOffered  = 50_000       // that are told apart
	maxNewBytes = 16 << 20     // of text that they would write
)

// budget bounds a search for candidates. When it or the time is over there are no more.
type budget struct {
	ctx    context.Context
	left   int
	unseen int // since the time was looked at
}

// spend takes a part of a budget, and reports whether there was one left.
func (b *budget) spend(n int) bool {
	if b.left < 0 {
		return false
	}
	b.left -= n
	if b.unseen += n; b.unseen > 1<<12 {
		b.unseen = 0
		if b.ctx.Err() != nil {
			b.left = -1
		}
	}
	return b.left >= 0
}

// offers are the candidates of a fault, each once. Of more than are tried the cheapest are kept, and of those that cost the same the first.
type offers struct {
	list  []candidate
	seen  map[identity]bool
	bytes int
	full  bool
	most  int // of what is kept where there is no more room: what costs as much is never tried
}

// offer keeps a candidate that of makes, if it may be tried.
func (x *fault) offer(cost int, of func() candidate) {
	o := &x.offers
	if !x.spend(1) || o.bytes > maxNewBytes || o.full && cost >= o.most && len(o.seen) >= maxOffered {
		return
	}
	c := of()
	k := identify(&c)
	if o.seen[k] {
		return
	}
	o.seen[k] = true
	for _, e := range c.edits {
		o.bytes += len(e.New)
	}
	if o.list = append(o.list, c); len(o.list) >= 4*maxOffers {
		o.list = cheapest(o.list)
		o.list, o.full, o.most = o.list[:maxOffers], true, o.list[maxOffers-1].cost
	}
}

// identity is what a candidate changes. None makes more than two edits.
type identity struct {
	edits    int
	one, two patch.Edit
	argument string
}

func identify(c *candidate) identity {
	k := identity{edits: len(c.edits), argument: c.argument()}
	if len(c.edits) > 0 {
		k.one, k.two = c.edits[0], c.edits[len(c.edits)-1]
	}
	return k
}

func cheapest(list []candidate) []candidate {
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	return list
}

// sorted leaves each candidate once, the cheapest first.
func sorted(out []candidate) []candidate {
	seen := map[identity]bool{}
	return cheapest(slices.DeleteFunc(out, func(c candidate) bool {
		k := identify(&c)
		again := seen[k]
		seen[k] = true
		return again
	}))
}
