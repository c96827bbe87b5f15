package bench

import "math/bits"

// rng is SplitMix64 (Steele, Lea and Flood 2014). It is written here because a task must be the same under every
// version of Go, and the standard library promises that of its sources and not of what is drawn from them.
type rng struct{ state uint64 }

// newRng begins a sequence that follows from a text: its FNV-1a hash.
func newRng(text string) *rng {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return &rng{h}
}

func (r *rng) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// fork begins a sequence of its own, so that what one draft takes changes nothing of the next.
func (r *rng) fork() *rng { return &rng{r.next()} }

// below returns a number from 0 to n-1.
func (r *rng) below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}

// from returns a number from low to high.
func (r *rng) from(low, high int) int { return low + r.below(high-low+1) }

// chance is true in so many of a hundred draws.
func (r *rng) chance(percent int) bool { return r.below(100) < percent }

// pick returns one of several.
func pick[T any](r *rng, of ...T) T { return of[r.below(len(of))] }

// shuffle puts a list in any order, in place.
func shuffle[T any](r *rng, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}
