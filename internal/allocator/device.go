package allocator

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
	listed       []offer // for one that is under way
	walked       int     // pieces that were looked at where expandable segments grow and shrink
}

// Clear forgets everything, and keeps the memory.
func (d *Device) Clear() {
	d.small.Clear()
	d.large.Clear()
	*d = Device{small: d.small, large: d.large, listed: d.listed[:0]}
}

// Take finds a place for a tensor: positive among the large ones, negative among the small. Where the limit does not allow it, the place is 0, and
// the limit that would is returned.
func (d *Device) Take(bytes int64) (at Place, limit int64) {
	n := rounded(bytes)
	if at = d.reuse(n); at != 0 {
		return at, 0
	}
	return d.extend(n)
}

// poolOf is where a tensor lies, and the least that is cut off a piece there.
func (d *Device) poolOf(n int64) (pool *Allocator, least int64, sign Place) {
	pool, least, sign = &d.large, smallBytes+1, 1
	if n <= smallBytes {
		pool, least, sign = &d.small, blockBytes, -1
	}
	if d.Expandable {
		least = blockBytes
	}
	return pool, least, sign
}

// reuse finds a place in what is taken from the card; 0 where there is none.
func (d *Device) reuse(n int64) Place {
	pool, least, sign := d.poolOf(n)
	k, found := pool.best(n, d.Expandable)
	if !found {
		return 0
	}
	pool.use(k, n, least)
	return sign * Place(k+1)
}

// extend takes as much from the card as a tensor needs that finds no place, as Take does.
func (d *Device) extend(n int64) (at Place, limit int64) {
	size := segmentFor(n)
	if d.passes(size) {
		d.giveBack()
	}
	if d.passes(size) {
		return 0, d.Reserved + size
	}
	pool, least, sign := d.poolOf(n)
	var k int32
	if d.Expandable {
		k = d.grow(pool, n)
	} else {
		d.reserve(size)
		k = pool.segment(size)
	}
	pool.use(k, n, least)
	return sign * Place(k+1), 0
}

// giveBack gives the card back what nothing is in.
func (d *Device) giveBack() {
	if d.Expandable {
		d.unmap(&d.large)
		d.unmap(&d.small)
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
	if pool.whole == 0 {
		return
	}
	pool.whole = 0
	pool.free.removeIf(func(o *offer) bool {
		if pool.isWhole(o.piece) == 0 {
			return false
		}
		d.Reserved -= o.size
		pool.spare = append(pool.spare, o.piece)
		return true
	})
}
