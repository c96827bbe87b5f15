package allocator

import (
	"testing"

	"pgregory.net/rapid"

	_ "github.com/modelverifier/verifier/internal/seed"
)

func TestTheAllocatorCutsJoinsAndLeavesLittlePieces(t *testing.T) {
	const mib = 1 << 20
	a := new(Allocator)
	if place, size := a.Take(mib - 1); place != 0 || size != mib {
		t.Errorf("a small tensor takes %d bytes, and is followed at %d", size, place)
	}
	first, _ := a.Take(6 * mib)
	second, _ := a.Take(6 * mib)
	if _, got := a.Take(7*mib + 1); got != 8*mib || a.segments != 1 { // 8 MiB are left of the segment of 20
		t.Errorf("%d bytes in %d segments, want the rest of the first, %d", got, a.segments, 8*mib)
	}
	a.Give(first)
	a.Give(second)
	if _, whole := a.Take(11*mib + 512); whole != 12*mib || a.segments != 1 {
		t.Errorf("%d bytes in %d segments, want both that were given back", whole, a.segments)
	}
	if _, direct := a.Take(11*mib + 512); direct != 12*mib || a.segments != 2 {
		t.Errorf("%d bytes in %d segments, want a segment of its own", direct, a.segments)
	}
}

// Whatever comes and goes, no two tensors share memory, none gets less than it needs or a MiB more, and in the end all is joined.
func TestTheAllocatorGivesNothingTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := new(Allocator)
		type held struct {
			place Place
			bytes int64
		}
		var all []held
		for range rapid.IntRange(1, 200).Draw(t, "operations") {
			if len(all) > 0 && rapid.Bool().Draw(t, "give") {
				k := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				a.Give(all[k].place)
				all = append(all[:k], all[k+1:]...)
				continue
			}
			bytes := rapid.Int64Range(smallBytes+1, 30<<20).Draw(t, "bytes")
			place, _ := a.Take(bytes)
			all = append(all, held{place, bytes})
		}
		for k, x := range all {
			p := a.pieces[x.place-1]
			if p.size < x.bytes || p.size >= x.bytes+smallBytes+blockBytes {
				t.Fatalf("%d bytes for %d", p.size, x.bytes)
			}
			for _, y := range all[:k] {
				if q := a.pieces[y.place-1]; p.segment == q.segment && p.at < q.at+q.size && q.at < p.at+p.size {
					t.Fatalf("%+v and %+v overlap", p, q)
				}
			}
		}
		for _, x := range all {
			a.Give(x.place)
		}
		if a.free.count != int(a.segments) {
			t.Fatalf("%d free pieces of %d segments", a.free.count, a.segments)
		}
	})
}
