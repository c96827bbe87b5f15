package solve

import (
	"math"
	"slices"
)

// exact is how many steps a doubling is divided into, and up to where every number is tried. A step is 1.6 to 3.1 % of the number before.
const exact = 64

// steps are the numbers that are tried: multiples of a unit up to 64 of them, of two units up to 128, of four up to 256 and so on; powers of two
// below the unit; and the limit.
func steps(unit, limit int64) []int64 {
	var out []int64
	for n := int64(1); n < min(unit, limit); n *= 2 {
		out = append(out, n)
	}
	for n, by := unit, unit; n < limit; n += by {
		out = append(out, n)
		if n == exact*by {
			by *= 2
		}
	}
	return append(out, limit)
}

// slack is the share of its bound, one in so many, that a run with a larger number may be below one with a smaller: every tensor grows with it, but
// the allocator rounds. A tensor below a multiple of 1 MiB counts 96 KiB more than one of it, from 2 MiB on: 4.7 % at the most, where all tensors of
// the peak are of that size. A test compares it with the bundled models. Weights do not grow, and have none.
const slack = 16

// least is what no run with a larger number is below.
func least(bytes, fixed int64) int64 { return bytes - (bytes-fixed)/slack }

// search finds the largest of its steps that fits. What a run needs does not grow with the number: where free pieces of the allocator's memory lie
// decides it, and a larger batch can need less than a smaller one. Its lower bound grows, but for the slack. So the bound says beyond which step
// nothing fits, and below that every step is tried, the largest first.
type search struct {
	steps []int64
	room  int64 // memory of the card
	bound func(n int64) bounded
	need  func(n int64) int64 // never below the bound; nil where it is that
	spent *spent              // for both

	stopped bool // a number was not tried, for all that was followed before
	idle    int  // bounds asked for since the model last ran
	bounds  map[int]bounded
	needs   map[int]int64
}

type bounded struct {
	bytes, fixed int64 // what is needed, and what of it is the same for every number
	runs         bool
}

// tries counts what a search asked for.
type tries struct{ bounds, needs int }

func (s *search) tries() tries { return tries{len(s.bounds), len(s.needs)} }

// largest is the place of the largest step that fits, -1 where none does.
func (s *search) largest() int {
	for i := s.beyond() - 1; i >= 0; i-- {
		if s.fits(i) {
			return i
		}
	}
	return -1
}

// fits reports whether a step does.
func (s *search) fits(i int) bool {
	b := s.boundOf(i)
	return b.runs && b.bytes <= s.room && s.needOf(i) <= s.room
}

// beyond is a step from which on none fits. A step with which the model does not run says nothing about others.
//
// The bound is nearly a straight line over the number, so that one guess lies on the step or beside it. Every third guess is the middle.
func (s *search) beyond() int {
	low, high := 0, len(s.steps)-1
	switch {
	case !s.over(high):
		return len(s.steps)
	case s.over(low):
		return low
	}
	for turn, up := 0, false; high-low > 1; turn++ {
		at := (low + high) / 2
		switch turn % 3 {
		case 0:
			at = s.guess(low, high)
		case 1:
			if at = high - 1; up {
				at = low + 1
			}
		}
		if up = !s.over(at); up {
			low = at
		} else {
			high = at
		}
	}
	return high
}

// over reports whether neither a step nor any behind it fits.
func (s *search) over(i int) bool {
	b := s.boundOf(i)
	return b.runs && least(b.bytes, b.fixed) > s.room
}

// guess is the step where the straight line between two passes the memory of the card.
func (s *search) guess(low, high int) int {
	from, to := s.boundOf(low), s.boundOf(high)
	middle := (low + high) / 2
	if !from.runs || to.bytes <= from.bytes {
		return middle
	}
	most := s.room + (s.room-from.fixed)/(slack-1) // what is over, without the slack
	part := float64(most-from.bytes) / float64(to.bytes-from.bytes)
	n := float64(s.steps[low]) + float64(part*float64(s.steps[high]-s.steps[low]))
	at, _ := slices.BinarySearch(s.steps, int64(n)+1)
	return min(max(at, low+1), high-1)
}

func (s *search) boundOf(i int) bounded {
	b, known := s.bounds[i]
	if !known {
		if s.idle >= mostIdle || s.stops() {
			return b
		}
		b = s.bound(s.steps[i])
		if s.idle++; b.runs {
			s.idle = 0
		}
		s.bounds[i] = b
	}
	return b
}

// stops reports whether no other number is tried.
func (s *search) stops() bool {
	s.stopped = s.stopped || s.spent.all()
	return s.stopped
}

// mostIdle is behind how many numbers, one after the other, that a model does not run with nothing more is tried.
const mostIdle = 24

func (s *search) needOf(i int) int64 {
	if s.need == nil {
		return s.boundOf(i).bytes
	}
	n, known := s.needs[i]
	if !known {
		if s.stops() {
			return math.MaxInt64
		}
		n = s.need(s.steps[i])
		s.needs[i] = n
	}
	return n
}

// answer searches, and writes down what was found: the number, and the one behind it.
func (s *search) answer(a *Answer) {
	s.bounds, s.needs = map[int]bounded{}, map[int]int64{}
	a.Smallest, a.Limit = s.steps[0], s.steps[len(s.steps)-1]
	at := s.largest()
	if at >= 0 {
		a.Value = s.steps[at]
	} else if a.Smallest = s.smallest(); a.Smallest == 0 || s.idle >= mostIdle {
		a.Withheld = "the model runs with none of the numbers that are tried"
	}
	if s.stopped {
		a.Withheld = tooMany + "numbers"
	}
	if next := at + 1; at >= 0 && next < len(s.steps) {
		if b := s.boundOf(next); b.runs {
			bytes := b.bytes
			if n, followed := s.needs[next]; followed {
				bytes = n
			}
			a.Next = &Next{s.steps[next], bytes}
		}
	}
	a.tries = s.tries()
}

// smallest is the least number with which the model runs, 0 where it runs with none.
func (s *search) smallest() int64 {
	for i := range s.steps {
		if s.boundOf(i).runs {
			return s.steps[i]
		}
	}
	return 0
}
