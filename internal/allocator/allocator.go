// Package allocator is PyTorch's caching allocator of a card, as far as it decides what counts as allocated (CUDACachingAllocator.cpp).
package allocator

// How it rounds: every tensor to blockBytes. One above smallBytes is cut from a larger piece, one above directBytes gets a segment of its
// own, a multiple of roundBytes; what would be left of a piece goes with the tensor where it is not more than smallBytes.
const (
	blockBytes   = 512
	smallBytes   = 1 << 20
	segmentBytes = 20 << 20
	directBytes  = 10 << 20
	roundBytes   = 2 << 20
)

// Place is where a tensor lies. The zero value is that of a small one, which loses nothing but its rounding.
type Place int32

// piece is a part of a segment that the allocator took from the card, in use or free. Its neighbours are in the same segment.
type piece struct {
	size, at       int64
	segment        int32
	before, behind int32 // the neighbours, from 1; 0 for none
	used           bool
	unmapped       bool // addresses without memory, of expandable segments; used, too, so that nothing is joined with them
}

// Allocator gives a tensor the smallest free piece that it fits into, which is cut where more than smallBytes would be left; a piece that is
// given back is joined with free neighbours. The zero value is ready.
type Allocator struct {
	pieces   []piece
	spare    []int32 // places in pieces that nothing uses
	free     offers
	gaps     []gap // addresses without memory, of expandable segments
	whole    int   // free pieces that are segments
	segments int32
}

// Clear forgets everything, and keeps the memory.
func (a *Allocator) Clear() {
	a.free.clear()
	a.pieces, a.spare, a.gaps, a.whole, a.segments = a.pieces[:0], a.spare[:0], a.gaps[:0], 0, 0
}

// Take finds a place for a tensor, and returns what counts as allocated for it.
func (a *Allocator) Take(bytes int64) (Place, int64) {
	n := rounded(bytes)
	if n <= smallBytes {
		return 0, n
	}
	k, found := a.best(n, false)
	if !found {
		k = a.segment(segmentFor(n))
	}
	a.use(k, n, smallBytes+1)
	return Place(k + 1), a.pieces[k].size
}

func rounded(bytes int64) int64 { return (bytes + blockBytes - 1) / blockBytes * blockBytes }

// segmentFor is the size of the segment that is taken from the card for a tensor that no free piece is large enough for.
func segmentFor(n int64) int64 {
	switch {
	case n <= smallBytes:
		return roundBytes
	case n < directBytes:
		return segmentBytes
	}
	return (n + roundBytes - 1) / roundBytes * roundBytes
}

// best takes the smallest piece that so many bytes fit into off the list of those that are free; of expandable segments one that has the least room.
func (a *Allocator) best(n int64, expandable bool) (k int32, found bool) {
	at, found := a.free.first(n)
	if !found {
		return 0, false
	}
	if expandable {
		at = a.roomier(at)
	}
	k = a.free.get(at).piece
	a.free.removeAt(at)
	a.whole -= a.isWhole(k)
	return k, true
}

// segment adds a piece that is a segment of its own.
func (a *Allocator) segment(size int64) int32 {
	a.segments++
	return a.place(piece{size: size, segment: a.segments})
}

// use gives a piece to a tensor, and cuts off what is left where that is as much as a piece has at the least.
func (a *Allocator) use(k int32, n, least int64) {
	if a.pieces[k].size-n >= least {
		a.offer(a.cut(k, n))
	}
	a.pieces[k].used = true
}

// cut leaves so many bytes of a piece, and returns the rest.
func (a *Allocator) cut(k int32, n int64) int32 {
	rest := a.pieces[k]
	rest.size, rest.at, rest.before = rest.size-n, rest.at+n, k+1
	at := a.place(rest)
	if rest.behind > 0 {
		a.pieces[rest.behind-1].before = at + 1
	}
	a.pieces[k].size, a.pieces[k].behind = n, at+1
	return at
}

// Give takes a place back.
func (a *Allocator) Give(p Place) {
	if p == 0 {
		return
	}
	k := int32(p) - 1
	a.pieces[k].used = false
	if b := a.pieces[k].behind; b > 0 && !a.pieces[b-1].used {
		a.withdraw(b - 1)
		a.join(k, b-1)
	}
	if b := a.pieces[k].before; b > 0 && !a.pieces[b-1].used {
		a.withdraw(b - 1)
		a.join(b-1, k)
		k = b - 1
	}
	a.offer(k)
}

// join makes one piece of two neighbours.
func (a *Allocator) join(k, behind int32) {
	p, q := &a.pieces[k], &a.pieces[behind]
	p.size, p.behind = p.size+q.size, q.behind
	if q.behind > 0 {
		a.pieces[q.behind-1].before = k + 1
	}
	a.spare = append(a.spare, behind)
}

func (a *Allocator) place(p piece) int32 {
	if n := len(a.spare); n > 0 {
		k := a.spare[n-1]
		a.spare, a.pieces[k] = a.spare[:n-1], p
		return k
	}
	a.pieces = append(a.pieces, p)
	return int32(len(a.pieces) - 1)
}

func (a *Allocator) offerOf(k int32) offer {
	p := &a.pieces[k]
	return offer{p.size, p.at, p.segment, k}
}

func (a *Allocator) offer(k int32) {
	o := a.offerOf(k)
	a.free.insert(&o)
	a.whole += a.isWhole(k)
}

func (a *Allocator) withdraw(k int32) {
	o := a.offerOf(k)
	a.free.remove(&o)
	a.whole -= a.isWhole(k)
}

// isWhole is 1 for a piece that is a segment, else 0.
func (a *Allocator) isWhole(k int32) int {
	if p := &a.pieces[k]; p.before|p.behind != 0 {
		return 0
	}
	return 1
}
