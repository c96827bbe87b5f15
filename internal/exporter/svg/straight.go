package svg

// columnsOf finds the horizontal places: each box wants to be below the middle of its neighbours above, and above those below; boxes
// of one rank keep their order and their distance. A few turns are enough for a picture.
func (b *box) columnsOf(ranks [][]*box) {
	for _, boxes := range ranks {
		x := 0
		for _, k := range boxes {
			k.x = x
			x += k.w + nodeGap
		}
		for _, k := range boxes {
			k.x -= (x - nodeGap) / 2
		}
	}
	for turn := range 10 {
		for r := range ranks {
			if turn%2 == 0 {
				settle(ranks[r], func(x *box) []*box { return x.up })
			} else {
				settle(ranks[len(ranks)-1-r], func(x *box) []*box { return x.down })
			}
		}
	}
}

// run is a stretch of boxes that touch: where the first wants to be, summed up over all of them.
type run struct{ first, n, sum, weight int }

func (r run) at() int { return floorDiv(r.sum, r.weight) }

// settle moves the boxes of a rank as near to where they want to be as their order and distances allow, in the sense of least squares:
// neighbours that would overlap are pooled and moved as one.
func settle(boxes []*box, near func(*box) []*box) {
	var runs []run
	offset := make([]int, len(boxes)) // of each box from the first, if all touch
	for i, x := range boxes {
		if i > 0 {
			gap := nodeGap
			if x.lane && boxes[i-1].lane {
				gap = laneWidth
			}
			offset[i] = offset[i-1] + boxes[i-1].w + gap
		}
		want, weight := x.x, 1
		if n := near(x); len(n) > 0 {
			middle, straight := aim(x, n)
			want, weight = middle-x.w/2, 40
			if x.lane { // long connections should be straight, but not push the boxes away
				weight = 1
				if straight {
					weight = 16
				}
			}
		}
		runs = append(runs, run{i, 1, (want - offset[i]) * weight, weight})
		for k := len(runs) - 1; k > 0 && runs[k].at() <= runs[k-1].at(); k-- {
			runs[k-1].n += runs[k].n
			runs[k-1].sum += runs[k].sum
			runs[k-1].weight += runs[k].weight
			runs = runs[:k]
		}
	}
	for _, r := range runs {
		for i := r.first; i < r.first+r.n; i++ {
			boxes[i].x = r.at() + offset[i]
		}
	}
}

// aim returns where a box wants its middle to be: in line with its neighbours of the same kind, boxes with boxes and lanes with lanes,
// so that the main path is straight and what passes it stays beside it. It reports whether there are such.
func aim(x *box, near []*box) (middle int, straight bool) {
	same, all, n := 0, 0, 0
	for _, y := range near {
		all += y.middle()
		if x.lane == y.lane {
			same, n = same+y.middle(), n+1
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
