package allocator

import (
	"cmp"
	"slices"
)

// Pages are what expandable segments (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True) are mapped by: a pool is one range of addresses, into
// which pages are mapped where a tensor finds no room, and out of which those are unmapped that nothing is in before an allocation fails.
const (
	smallPageBytes = 2 << 20
	largePageBytes = 20 << 20
	addresses      = 1 << 60 // that a range has
)

// unmapped reports whether there are addresses without memory behind a piece, and how many.
func (a *Allocator) unmapped(k int32) int64 {
	if b := a.pieces[k].behind; b > 0 && a.pieces[b-1].unmapped {
		return a.pieces[b-1].size
	}
	return 0
}

// roomier goes on from the first free piece that is large enough, as long as the next has less room with the addresses behind it: the piece in
// front of all that is unmapped comes last.
func (a *Allocator) roomier(at cursor) cursor {
	room := func(at cursor) int64 { return a.free.get(at).size + a.unmapped(a.free.get(at).piece) }
	for {
		next, found := a.free.behind(at)
		if !found || room(next) >= room(at) {
			return at
		}
		at = next
	}
}

// pageOf is the size of the pages of a pool.
func (d *Device) pageOf(pool *Allocator) int64 {
	if pool == &d.small {
		return smallPageBytes
	}
	return largePageBytes
}

// gap is a piece of addresses without memory.
type gap struct {
	at    int64
	piece int32
}

// gapAt is the place of a gap in the list of a pool, which is in the order of addresses, or the one that it would have.
func (a *Allocator) gapAt(at int64) (place int, found bool) {
	return slices.BinarySearchFunc(a.gaps, at, func(g gap, at int64) int { return cmp.Compare(g.at, at) })
}

// grow maps pages behind the first place that has the addresses for so many bytes, and returns the piece. The last gap has them always.
func (d *Device) grow(pool *Allocator, n int64) int32 {
	if len(pool.pieces) == 0 {
		k := pool.place(piece{size: addresses, unmapped: true, used: true})
		pool.gaps = append(pool.gaps, gap{0, k})
	}
	for place := 0; ; place++ {
		d.walked++
		first := pool.gaps[place].piece
		if b := pool.pieces[first].before; b > 0 && !pool.pieces[b-1].used {
			first = b - 1
		}
		if pool.reaches(first, n) {
			return d.fill(pool, first, n, d.pageOf(pool))
		}
	}
}

// reaches reports whether a piece and those behind it that nothing is in have so many bytes.
func (a *Allocator) reaches(k int32, n int64) bool {
	for room := int64(0); k >= 0 && (a.pieces[k].unmapped || !a.pieces[k].used); k = a.pieces[k].behind - 1 {
		if room += a.pieces[k].size; room >= n {
			return true
		}
	}
	return false
}

// fill makes one free piece of so many bytes, at the least, from one on, and takes it off the list.
func (d *Device) fill(pool *Allocator, k int32, n, page int64) int32 {
	if pool.pieces[k].unmapped {
		d.mapped(pool, k, n, page)
	} else {
		pool.withdraw(k)
	}
	for pool.pieces[k].size < n {
		b := pool.pieces[k].behind - 1
		if pool.pieces[b].unmapped {
			d.mapped(pool, b, n-pool.pieces[k].size, page)
		} else {
			pool.withdraw(b)
		}
		pool.join(k, b)
	}
	return k
}

// mapped maps pages for so many bytes at the beginning of a piece; what is left stays unmapped.
func (d *Device) mapped(pool *Allocator, k int32, bytes, page int64) {
	size := min((bytes+page-1)/page*page, pool.pieces[k].size)
	place, _ := pool.gapAt(pool.pieces[k].at)
	if pool.pieces[k].size > size {
		rest := pool.cut(k, size)
		pool.gaps[place] = gap{pool.pieces[rest].at, rest}
	} else {
		pool.gaps = slices.Delete(pool.gaps, place, place+1)
	}
	pool.pieces[k].unmapped, pool.pieces[k].used = false, false
	d.reserve(size)
}

// unmap takes the pages that nothing is in out of a pool.
func (d *Device) unmap(pool *Allocator) {
	page := d.pageOf(pool)
	d.listed = pool.free.all(d.listed[:0])
	d.walked += len(d.listed)
	for _, o := range d.listed {
		from, to := (o.at+page-1)/page*page, (o.at+o.size)/page*page
		if from < to {
			d.unmapPages(pool, o.piece, from, to)
		}
	}
}

// unmapPages takes the memory from one address to another out of a free piece. What is left in front and behind stays free.
func (d *Device) unmapPages(pool *Allocator, k int32, from, to int64) {
	pool.withdraw(k)
	d.Reserved -= to - from
	if p := &pool.pieces[k]; from > p.at {
		front := k
		k = pool.cut(k, from-p.at)
		pool.offer(front)
	}
	if p := &pool.pieces[k]; p.size > to-from {
		pool.offer(pool.cut(k, to-from))
	}
	p := &pool.pieces[k]
	p.unmapped, p.used = true, true
	place, _ := pool.gapAt(p.at)
	pool.gaps = slices.Insert(pool.gaps, place, gap{p.at, k})
	if b := p.behind; b > 0 && pool.pieces[b-1].unmapped {
		pool.join(k, b-1)
		pool.gaps = slices.Delete(pool.gaps, place+1, place+2)
	}
	if b := p.before; b > 0 && pool.pieces[b-1].unmapped {
		pool.join(b-1, k)
		pool.gaps = slices.Delete(pool.gaps, place, place+1)
	}
}
