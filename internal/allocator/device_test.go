package allocator

import (
	"math/rand/v2"
	"slices"
	"testing"
)

const mib = 1 << 20

func TestSegmentsAreTakenAsPyTorchTakesThem(t *testing.T) {
	for _, c := range []struct{ bytes, reserved int64 }{
		{1, 2 * mib}, {mib, 2 * mib}, {mib + 1, 20 * mib}, {10*mib - 512, 20 * mib}, {10 * mib, 10 * mib}, {11*mib + 1, 12 * mib},
	} {
		var d Device
		if d.Take(c.bytes); d.Reserved != c.reserved {
			t.Errorf("%d bytes reserve %d, want %d", c.bytes, d.Reserved, c.reserved)
		}
	}
}

func TestCachedSegmentsAreGivenBackBeforeItFails(t *testing.T) {
	d := Device{Limit: 100 * mib}
	large, _ := d.Take(60 * mib)
	d.Give(large)
	if at, _ := d.Take(80 * mib); at == 0 || d.Reserved != 80*mib {
		t.Errorf("reserved %d", d.Reserved)
	}
	if at, limit := d.Take(40 * mib); at != 0 || limit != 120*mib {
		t.Errorf("place %d, the limit would be %d", at, limit)
	}
}

func TestSegmentWithATensorInItStays(t *testing.T) {
	d := Device{Limit: 100 * mib}
	large, _ := d.Take(60 * mib)
	d.Give(large)
	if at, _ := d.Take(2 * mib); at == 0 || d.Reserved != 60*mib {
		t.Fatalf("reserved %d", d.Reserved)
	}
	if at, limit := d.Take(80 * mib); at != 0 || limit != 140*mib {
		t.Errorf("place %d, the limit would be %d", at, limit)
	}
}

// later is a run whose states are made where its step had a large tensor, which they hold from then on.
func later() *Trace {
	var tr Trace
	tr.Take(30 * mib)
	tr.Late()
	tr.Take(2 * mib)
	tr.Step()
	tr.Give(tr.Take(100 * mib))
	tr.End()
	return &tr
}

func TestNeedIsTheSmallestLimitThatDoes(t *testing.T) {
	var r Replayer
	tr := later()
	if got := tr.Most(); got != 132*mib {
		t.Errorf("%d bytes are there at the most", got)
	}
	// The states hold the segment of the first step's tensor, so that the second step takes another.
	need, reserved, ok := r.Follow(tr)
	if !ok || reserved != 230*mib {
		t.Errorf("reserved %d", reserved)
	}
	if need != 230*mib {
		t.Errorf("needs %d", need)
	}
	r.left = mostWork
	if !r.run(tr, need) || r.run(tr, need-roundBytes) {
		t.Errorf("%d bytes are not the least", need)
	}
}

func TestExpandableSegmentsGiveBackPages(t *testing.T) {
	d := Device{Limit: 100 * mib, Expandable: true}
	large, _ := d.Take(60 * mib)
	d.Give(large)
	if at, _ := d.Take(2 * mib); at == 0 || d.Reserved != 60*mib {
		t.Fatalf("reserved %d", d.Reserved)
	}
	if at, _ := d.Take(80 * mib); at == 0 || d.Reserved != 100*mib { // behind the first 2 MiB, of which the page stays
		t.Errorf("place %d, reserved %d", at, d.Reserved)
	}
}

func TestExpandableRunNeedsLittleMoreThanItsPeak(t *testing.T) {
	r := Replayer{Expandable: true}
	tr := later()
	if need, _, _ := r.Follow(tr); need > 132*mib+largePageBytes {
		t.Errorf("needs %d", need)
	}
}

// TestReservedIsWhatPiecesTake takes and gives at random, under a limit.
func TestReservedIsWhatPiecesTake(t *testing.T) {
	for _, expandable := range []bool{false, true} {
		draw := rand.New(rand.NewPCG(1, 2))
		d := Device{Limit: 2000 * mib, Expandable: expandable}
		var places []Place
		for range 20_000 {
			if draw.IntN(2) == 0 && len(places) > 0 {
				k := draw.IntN(len(places))
				d.Give(places[k])
				places[k] = places[len(places)-1]
				places = places[:len(places)-1]
			} else if at, _ := d.Take(1 + draw.Int64N(1<<(10+draw.IntN(19)))); at != 0 {
				places = append(places, at)
			}
		}
		for _, at := range places {
			d.Give(at)
		}
		if sum := free(&d.small) + free(&d.large); sum != d.Reserved || sum == 0 {
			t.Errorf("%d bytes are reserved, pieces take %d", d.Reserved, sum)
		}
		if d.giveBack(); d.Reserved != 0 || d.small.free.count+d.large.free.count > 0 {
			t.Errorf("%d bytes stay reserved", d.Reserved)
		}
	}
}

func free(a *Allocator) (sum int64) {
	for _, o := range a.free.all(nil) {
		sum += o.size
	}
	return sum
}

// TestGapsAreWhatThePiecesSay goes through the pieces of a range of addresses after every call.
func TestGapsAreWhatThePiecesSay(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 8))
	d := Device{Limit: 2000 * mib, Expandable: true}
	var live []Place
	most := 0
	for range 5_000 {
		if len(live) > 0 && draw.IntN(5) < 2 {
			k := draw.IntN(len(live))
			d.Give(live[k])
			live = slices.Delete(live, k, k+1)
		} else if at, _ := d.Take(drawnSize(draw)); at != 0 {
			live = append(live, at)
		} else {
			for _, at := range live[len(live)/2:] {
				d.Give(at)
			}
			live = live[:len(live)/2]
		}
		for _, pool := range []*Allocator{&d.small, &d.large} {
			if want := gapsOf(pool); !slices.Equal(pool.gaps, want) {
				t.Fatalf("the gaps are %v, and should be %v", pool.gaps, want)
			}
			most = max(most, len(pool.gaps))
		}
	}
	if most < 3 {
		t.Errorf("at most %d gaps were made", most)
	}
}

// gapsOf finds the gaps of a pool by going from its first piece to its last.
func gapsOf(pool *Allocator) (gaps []gap) {
	if len(pool.pieces) == 0 {
		return nil
	}
	for k := int32(0); k >= 0; k = pool.pieces[k].behind - 1 {
		if p := &pool.pieces[k]; p.unmapped {
			gaps = append(gaps, gap{p.at, k})
		}
	}
	return gaps
}
