package allocator

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// drawnSize is the size of a tensor: round ones, of which pieces fit often, and others.
func drawnSize(draw *rand.Rand) int64 {
	switch draw.IntN(3) {
	case 0:
		return int64(1+draw.IntN(40)) * mib
	case 1:
		return 1 + draw.Int64N(1<<(10+draw.IntN(17)))
	}
	return mib + 1 + draw.Int64N(30*mib)
}

// drawnTrace is a run that takes and gives at random.
func drawnTrace(draw *rand.Rand) *Trace {
	var t Trace
	for range draw.IntN(50) {
		t.Take(drawnSize(draw))
	}
	t.Late()
	for range draw.IntN(50) {
		t.Take(drawnSize(draw))
	}
	t.Step()
	var live []int32
	events := draw.IntN(400)
	end := draw.IntN(events + 1)
	for k := range events {
		if k == end {
			t.End()
		}
		if at := len(live) - 1; at >= 0 && draw.IntN(2) == 0 {
			if draw.IntN(2) == 0 {
				at = draw.IntN(at + 1)
			}
			t.Give(live[at])
			live = slices.Delete(live, at, at+1)
		} else {
			live = append(live, t.Take(drawnSize(draw)))
		}
	}
	if end == events {
		t.End()
	}
	for _, take := range live {
		t.Give(take)
	}
	return &t
}

// whole follows every event of a run under a limit, from its beginning, and says what is left of its work.
func whole(t *Trace, limit int64, expandable, raises bool) (d *Device, left int, ok bool) {
	d, left = &Device{Limit: limit, Expandable: expandable}, mostWork
	places := make([]Place, t.takes)
	d.reserve((t.smallAtMost + roundBytes - 1) / roundBytes * roundBytes)
	for _, l := range t.legs() {
		for _, e := range l.events {
			if left -= 1 + d.large.free.count/moved; e < 0 {
				d.Give(places[-e-1])
				continue
			}
			walked := d.walked
			at, more := d.Take(e)
			if at == 0 && raises {
				d.Limit = more
				at, _ = d.Take(e)
			}
			if left -= (d.walked - walked) / moved; at == 0 {
				return d, left, false
			}
			places[l.take] = at
			l.take++
		}
	}
	return d, left, true
}

// TestARunThatBeginsLaterEndsAlike follows runs under limits from where they differ from the one without a limit, steps that change nothing once,
// and no tensors that are given back at once.
func TestARunThatBeginsLaterEndsAlike(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	var r Replayer
	later := 0
	for range 60 {
		trace := drawnTrace(draw)
		r.Expandable = draw.IntN(3) == 0
		_, reserved, _ := r.Follow(trace)
		low := trace.Most()
		for _, limit := range []int64{low, low + (reserved-low)/3, reserved - roundBytes, reserved} {
			if limit < low {
				continue
			}
			for _, r.raises = range []bool{false, true} {
				want, left, does := whole(trace, limit, r.Expandable, r.raises)
				r.left = mostWork
				ok := r.run(trace, limit)
				same := r.device.Reserved == want.Reserved || limit >= reserved // which is not followed
				if ok != does || ok && (r.device.Limit != want.Limit || !same || r.left != left) {
					t.Fatalf("limit %d: %t, %d reserved, limit %d, %d left; from its beginning %t, %d, %d, %d", limit,
						ok, r.device.Reserved, r.device.Limit, r.left, does, want.Reserved, want.Limit, left)
				}
			}
			if r.saved.has && r.saved.leg > 0 {
				later++
			}
		}
		r.raises = false
	}
	if later == 0 {
		t.Error("no run began later")
	}
}

// TestFreePiecesAreInOrder compares offers with a plain list.
func TestFreePiecesAreInOrder(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	var free offers
	var list []offer
	place := func(o offer) int {
		return sort.Search(len(list), func(k int) bool { return !list[k].less(&o) })
	}
	for range 5_000 {
		if len(list) > 0 && draw.IntN(5) < 2 {
			at := draw.IntN(len(list))
			free.remove(&list[at])
			list = slices.Delete(list, at, at+1)
		} else {
			o := offer{size: rounded(drawnSize(draw)), segment: draw.Int32N(9), at: draw.Int64N(1 << 40)}
			free.insert(&o)
			list = slices.Insert(list, place(o), o)
		}
		size := rounded(drawnSize(draw))
		at := place(offer{size: size})
		if c, found := free.first(size); found != (at < len(list)) || found && *free.get(c) != list[at] {
			t.Fatalf("the first piece of %d bytes is at %+v", size, c)
		}
	}
	again := offers{classes: make([][]offer, classCount)}
	if again.set(list); free.count != len(list) || !slices.Equal(free.all(nil), list) || !slices.Equal(again.all(nil), list) {
		t.Errorf("%d pieces are listed in another order than %d", free.count, len(list))
	}
}
