package allocator

// position is an event of a run: its leg, its number there, and how many takes of the leg are in front of it.
type position struct{ leg, event, takes int }

// moment is the state of a run without a limit in front of the first event that a limit changes. Up to there all runs under that limit or a larger
// one are the same, and begin here.
type moment struct {
	position
	limit    int64
	awaits   bool // it has not come yet
	has      bool
	reserved int64
	work     int   // of the events up to here
	most     int64 // that the whole run reserved; 0 where that is not known
	all      int   // work of the whole run
	places   []Place
	pools    [2]poolState
}

// poolState is the state of a pool.
type poolState struct {
	pieces   []piece
	spare    []int32
	free     []offer
	gaps     []gap
	whole    int
	segments int32
}

// await makes the moment wait for the first event that a limit changes.
func (m *moment) await(limit int64) { m.limit, m.awaits, m.has, m.most = limit, true, false, 0 }

// end notes what the whole run came to.
func (m *moment) end(r *Replayer) { m.most, m.all = r.device.Most, mostWork-r.left }

// spans reports whether no event of the run differs under a limit.
func (m *moment) spans(limit int64) bool { return m.most > 0 && limit >= m.most }

// holds reports whether a run under a limit can begin here.
func (m *moment) holds(limit int64) bool { return m.has && limit >= m.limit }

// offer keeps the state of a run in front of an event that takes memory from the card, if the limit changes that, and no other did before.
func (m *moment) offer(r *Replayer, bytes int64, at position, left int) {
	if m.awaits && r.device.Reserved+segmentFor(bytes) > m.limit {
		m.save(r, at, left)
	}
}

// save keeps the state of a run, of whose work so much is left.
func (m *moment) save(r *Replayer, at position, left int) {
	m.position, m.awaits, m.has, m.reserved, m.work = at, false, true, r.device.Reserved, mostWork-left
	m.places = append(m.places[:0], r.places...)
	for k, pool := range [...]*Allocator{&r.device.small, &r.device.large} {
		p := &m.pools[k]
		p.pieces, p.spare, p.free = append(p.pieces[:0], pool.pieces...), append(p.spare[:0], pool.spare...), pool.free.all(p.free[:0])
		p.gaps, p.whole, p.segments = append(p.gaps[:0], pool.gaps...), pool.whole, pool.segments
	}
}

// restore goes back to the state.
func (m *moment) restore(r *Replayer) {
	r.left -= m.work
	r.device.Reserved, r.device.Most = m.reserved, m.reserved
	r.places = append(r.places[:0], m.places...)
	for k, pool := range [...]*Allocator{&r.device.small, &r.device.large} {
		p := &m.pools[k]
		pool.pieces, pool.spare = append(pool.pieces[:0], p.pieces...), append(pool.spare[:0], p.spare...)
		pool.free.set(p.free)
		pool.gaps, pool.whole, pool.segments = append(pool.gaps[:0], p.gaps...), p.whole, p.segments
	}
}
