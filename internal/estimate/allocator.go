package estimate

import "slices"

// piece is a part of a segment that the allocator took from the card, in use or free. Its neighbours are in the same segment.
type piece struct {
	size, at       int64
	segment        int32
	before, behind int32 // the neighbours, from 1; 0 for none
	used           bool
}

// allocator is PyTorch's caching allocator for tensors above smallBytes (CUDACachingAllocator.cpp): a tensor gets the smallest free
// piece that it fits into, which is cut where more than smallBytes would be left; a piece that is given back is joined with
// free neighbours. Smaller tensors are cut exactly and never lose anything.
type allocator struct {
	pieces   []piece
	spare    []int32 // places in pieces that nothing uses
	free     []offer // in order
	segments int32
}

// offer is a piece that is free, with what the allocator orders them by.
type offer struct {
	size, at       int64
	segment, piece int32
}

func (o *offer) less(p *offer) bool {
	if o.size != p.size {
		return o.size < p.size
	}
	if o.segment != p.segment {
		return o.segment < p.segment
	}
	return o.at < p.at
}

// find is the first place in the list that is not in front of an offer.
func (a *allocator) find(o *offer) int {
	low, high := 0, len(a.free)
	for low < high {
		if middle := (low + high) / 2; a.free[middle].less(o) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// clear forgets everything, and keeps the memory.
func (a *allocator) clear() {
	a.pieces, a.spare, a.free, a.segments = a.pieces[:0], a.spare[:0], a.free[:0], 0
}

// take finds a place for a tensor, from 1; 0 for a small one.
func (a *allocator) take(bytes int64) int32 {
	n := (bytes + blockBytes - 1) / blockBytes * blockBytes
	if n <= smallBytes {
		return 0
	}
	at := a.find(&offer{size: n})
	var k int32
	if at < len(a.free) {
		k = a.free[at].piece
		a.free = slices.Delete(a.free, at, at+1)
	} else {
		size := int64(segmentBytes)
		if n >= directBytes {
			size = (n + roundBytes - 1) / roundBytes * roundBytes
		}
		a.segments++
		k = a.place(piece{size: size, segment: a.segments})
	}
	if p := &a.pieces[k]; p.size-n > smallBytes {
		rest := a.place(piece{size: p.size - n, at: p.at + n, segment: p.segment, before: k + 1, behind: p.behind})
		p = &a.pieces[k] // it may have moved
		if p.behind > 0 {
			a.pieces[p.behind-1].before = rest + 1
		}
		p.size, p.behind = n, rest+1
		a.offer(rest)
	}
	a.pieces[k].used = true
	return k + 1
}

// size is what counts as allocated for a tensor at a place.
func (a *allocator) size(k int32) int64 { return a.pieces[k-1].size }

// give takes a place back.
func (a *allocator) give(k int32) {
	if k == 0 {
		return
	}
	k--
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
func (a *allocator) join(k, behind int32) {
	p, q := &a.pieces[k], &a.pieces[behind]
	p.size, p.behind = p.size+q.size, q.behind
	if q.behind > 0 {
		a.pieces[q.behind-1].before = k + 1
	}
	a.spare = append(a.spare, behind)
}

func (a *allocator) place(p piece) int32 {
	if n := len(a.spare); n > 0 {
		k := a.spare[n-1]
		a.spare, a.pieces[k] = a.spare[:n-1], p
		return k
	}
	a.pieces = append(a.pieces, p)
	return int32(len(a.pieces) - 1)
}

func (a *allocator) offerOf(k int32) offer {
	p := &a.pieces[k]
	return offer{p.size, p.at, p.segment, k}
}

func (a *allocator) offer(k int32) {
	o := a.offerOf(k)
	a.free = slices.Insert(a.free, a.find(&o), o)
}

func (a *allocator) withdraw(k int32) {
	o := a.offerOf(k)
	at := a.find(&o)
	a.free = slices.Delete(a.free, at, at+1)
}
