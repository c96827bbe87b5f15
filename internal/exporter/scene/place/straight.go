package place

// columns finds the horizontal places: each box wants to be below the middle of its neighbours above, and above those below; boxes
// of one rank keep their order and their distance. A few turns are enough for a picture.
func (s *Style) columns(ranks [][]*Box) {
	for _, boxes := range ranks {
		x := 0
		for _, k := range boxes {
			k.X = x
			x += k.W + s.NodeGap
		}
		for _, k := range boxes {
			k.X -= (x - s.NodeGap) / 2
		}
	}
	row := &row{Style: s}
	for turn := range 10 {
		for r := range ranks {
			if turn%2 == 0 {
				row.settle(ranks[r], above)
			} else {
				row.settle(ranks[len(ranks)-1-r], below)
			}
		}
	}
}

// run is a stretch of boxes that touch: where the first wants to be, summed up over all of them.
type run struct{ first, n, sum, weight, at int }

// row is the memory in which ranks are settled, one after the other.
type row struct {
	*Style
	runs   []run
	offset []int // of each box from the first, if all touch
}

// settle moves the boxes of a rank as near to where they want to be as their order and distances allow, in the sense of least squares:
// neighbours that would overlap are pooled and moved as one.
func (s *row) settle(boxes []*Box, near func(*Box) []*Box) {
	runs, offset := s.runs[:0], s.offset[:0]
	for i, x := range boxes {
		offset = append(offset, 0)
		if i > 0 {
			gap := s.NodeGap
			if x.Lane && boxes[i-1].Lane {
				gap = s.LaneWidth
			}
			offset[i] = offset[i-1] + boxes[i-1].W + gap
		}
		want, weight := x.X, 1
		if n := near(x); len(n) > 0 {
			middle, straight := aim(x, n)
			want, weight = middle-x.W/2, 40
			if x.Lane { // long connections should be straight, but not push the boxes away
				weight = 1
				if straight {
					weight = 16
				}
			}
		}
		runs = append(runs, run{i, 1, (want - offset[i]) * weight, weight, want - offset[i]})
		for k := len(runs) - 1; k > 0 && runs[k].at <= runs[k-1].at; k-- {
			r := &runs[k-1]
			r.n, r.sum, r.weight = r.n+runs[k].n, r.sum+runs[k].sum, r.weight+runs[k].weight
			r.at = floorDiv(r.sum, r.weight)
			runs = runs[:k]
		}
	}
	for _, r := range runs {
		for i := r.first; i < r.first+r.n; i++ {
			boxes[i].X = r.at + offset[i]
		}
	}
	s.runs, s.offset = runs, offset
}

// aim returns where a box wants its middle to be: in line with its neighbours of the same kind, boxes with boxes and lanes with lanes,
// so that the main path is straight and what passes it stays beside it. It reports whether there are such.
func aim(x *Box, near []*Box) (middle int, straight bool) {
	same, all, n := 0, 0, 0
	for _, y := range near {
		all += y.Middle()
		if x.Lane == y.Lane {
			same, n = same+y.Middle(), n+1
		}
	}
	if n > 0 {
		return floorDiv(same, n), true
	}
	return floorDiv(all, len(near)), false
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
