package allocator

import "slices"

// Device is a card whose memory the allocator takes in segments, as far as a limit allows. Tensors of up to smallBytes are in segments of their
// own, of roundBytes, whose pieces are cut as small as blockBytes.
//
// Where a segment would pass the limit, all segments that nothing is in are given back to the card first (release_cached_blocks). The call in front
// of that, release_available_cached_blocks, does nothing unless max_split_size_mb is set. There is one stream.
type Device struct {
	Limit      int64 // of Reserved; 0 for none
	Expandable bool  // segments are expandable
	Reserved   int64 // what is taken from the card
	Most       int64 // of it, so far

	small, large Allocator
}

// Clear forgets everything, and keeps the memory.
func (d *Device) Clear() {
	d.small.Clear()
	d.large.Clear()
	*d = Device{small: d.small, large: d.large}
}

// Take finds a place for a tensor: positive among the large ones, negative among the small. Where the limit does not allow it, the place is 0, and
// the limit that would is returned.
func (d *Device) Take(bytes int64) (at Place, limit int64) {
	n := rounded(bytes)
	pool, least, page, sign := &d.large, int64(smallBytes+1), int64(largePageBytes), Place(1)
	if n <= smallBytes {
		pool, least, page, sign = &d.small, blockBytes, smallPageBytes, -1
	}
	if d.Expandable {
		least = blockBytes
	}
	k, found := pool.best(n, d.Expandable)
	if !found {
		size := segmentFor(n)
		if d.passes(size) {
			d.giveBack()
		}
		if d.passes(size) {
			return 0, d.Reserved + size
		}
		if d.Expandable {
			k = d.grow(pool, n, page)
		} else {
			d.reserve(size)
			k = pool.segment(size)
		}
	}
	pool.use(k, n, least)
	return sign * Place(k+1), 0
}

// giveBack gives the card back what nothing is in.
func (d *Device) giveBack() {
	if d.Expandable {
		d.unmap(&d.large, largePageBytes)
		d.unmap(&d.small, smallPageBytes)
		return
	}
	d.release(&d.large)
	d.release(&d.small)
}

// reserve takes so many bytes from the card.
func (d *Device) reserve(bytes int64) {
	d.Reserved += bytes
	d.Most = max(d.Most, d.Reserved)
}

func (d *Device) passes(size int64) bool { return d.Limit > 0 && d.Reserved+size > d.Limit }

// Give takes a place back.
func (d *Device) Give(at Place) {
	if at < 0 {
		d.small.Give(-at)
	} else {
		d.large.Give(at)
	}
}

// release gives the segments of a pool back to the card that nothing is in.
func (d *Device) release(pool *Allocator) {
	pool.free = slices.DeleteFunc(pool.free, func(o offer) bool {
		p := &pool.pieces[o.piece]
		if p.before > 0 || p.behind > 0 {
			return false
		}
		d.Reserved -= p.size
		pool.spare = append(pool.spare, o.piece)
		return true
	})
}
