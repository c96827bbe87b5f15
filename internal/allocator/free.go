package allocator

import (
	"math/bits"
	"slices"
)

// offer is a piece that is free, with what the allocator orders them by.
type offer struct {
	size, at       int64
	segment, piece int32
}

func (o *offer) less(p *offer) bool {
	if o.size != p.size {
		return o.size < p.size
	}
	if o.segment != p.segment {
		return o.segment < p.segment
	}
	return o.at < p.at
}

// A class is sizes of blocks that have their first classBits+1 binary digits in common: a list of them is short, however many pieces are free.
// classCount is one more than that of the largest range of addresses.
const (
	classBits  = 6
	classCount = 3072
)

func classOf(size int64) int {
	blocks := uint64(size) / blockBytes
	if blocks < 1<<classBits {
		return int(blocks)
	}
	digits := bits.Len64(blocks) - classBits // at least 1
	return digits<<classBits | int(blocks>>(digits-1))&(1<<classBits-1)
}

// offers are the free pieces of a pool in order: lists by class, and which of them have a piece. Each has its first piece at the end: that is the one
// which is taken, and a model of layers that are alike has thousands of one size.
type offers struct {
	classes [][]offer
	filled  [classCount / 64]uint64
	count   int
}

// cursor is a place among offers.
type cursor struct{ class, at int }

func (f *offers) clear() {
	for word, set := range f.filled {
		for ; set != 0; set &= set - 1 {
			c := word<<6 | bits.TrailingZeros64(set)
			f.classes[c] = f.classes[c][:0]
		}
	}
	f.filled, f.count = [len(f.filled)]uint64{}, 0
}

// find is the place of an offer in a list, whether it is there or not.
func find(list []offer, o *offer) int {
	low, high := 0, len(list)
	for low < high {
		if middle := (low + high) / 2; o.less(&list[middle]) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// first is the first offer of so many bytes or more.
func (f *offers) first(size int64) (c cursor, found bool) {
	class := classOf(size)
	if f.filled[class>>6]>>(class&63)&1 == 1 {
		list := f.classes[class]
		low, high := 0, len(list)
		for low < high {
			if middle := (low + high) / 2; list[middle].size >= size {
				low = middle + 1
			} else {
				high = middle
			}
		}
		if low > 0 {
			return cursor{class, low - 1}, true
		}
	}
	return f.from(class + 1)
}

// from is the first offer of a class or of one behind it.
func (f *offers) from(class int) (c cursor, found bool) {
	word := class >> 6
	if word >= len(f.filled) {
		return cursor{}, false
	}
	set := f.filled[word] >> (class & 63) << (class & 63)
	for set == 0 {
		if word++; word == len(f.filled) {
			return cursor{}, false
		}
		set = f.filled[word]
	}
	class = word<<6 | bits.TrailingZeros64(set)
	return cursor{class, len(f.classes[class]) - 1}, true
}

// has reports whether there is an offer of so many bytes or more.
func (f *offers) has(size int64) bool {
	class := classOf(size)
	if _, found := f.from(class + 1); found || f.filled[class>>6]>>(class&63)&1 == 0 {
		return found
	}
	return f.classes[class][0].size >= size
}

// behind is the offer behind one.
func (f *offers) behind(c cursor) (next cursor, found bool) {
	if c.at > 0 {
		return cursor{c.class, c.at - 1}, true
	}
	return f.from(c.class + 1)
}

func (f *offers) get(c cursor) *offer { return &f.classes[c.class][c.at] }

func (f *offers) insert(o *offer) {
	if f.classes == nil {
		f.classes = make([][]offer, classCount)
	}
	class := classOf(o.size)
	at := find(f.classes[class], o)
	list := append(f.classes[class], offer{})
	copy(list[at+1:], list[at:])
	list[at], f.classes[class] = *o, list
	f.filled[class>>6] |= 1 << (class & 63)
	f.count++
}

func (f *offers) remove(o *offer) {
	class := classOf(o.size)
	f.removeAt(cursor{class, find(f.classes[class], o)})
}

func (f *offers) removeAt(c cursor) {
	list := f.classes[c.class]
	copy(list[c.at:], list[c.at+1:])
	f.resize(c.class, len(list)-1)
}

// resize leaves so many offers of a class.
func (f *offers) resize(class, length int) {
	f.count += length - len(f.classes[class])
	if f.classes[class] = f.classes[class][:length]; length == 0 {
		f.filled[class>>6] &^= 1 << (class & 63)
	}
}

// removeIf removes the offers that a function picks.
func (f *offers) removeIf(picks func(*offer) bool) {
	for word := range f.filled {
		for set := f.filled[word]; set != 0; set &= set - 1 {
			class := word<<6 | bits.TrailingZeros64(set)
			list, kept := f.classes[class], 0
			for k := range list {
				if !picks(&list[k]) {
					list[kept] = list[k]
					kept++
				}
			}
			f.resize(class, kept)
		}
	}
}

// all appends all offers to a list, in order.
func (f *offers) all(list []offer) []offer {
	for word := range f.filled {
		for set := f.filled[word]; set != 0; set &= set - 1 {
			from := len(list)
			list = append(list, f.classes[word<<6|bits.TrailingZeros64(set)]...)
			slices.Reverse(list[from:])
		}
	}
	return list
}

// set makes the offers those of a list that is in order.
func (f *offers) set(list []offer) {
	f.clear()
	for k := len(list) - 1; k >= 0; k-- {
		class := classOf(list[k].size)
		f.classes[class] = append(f.classes[class], list[k])
		f.filled[class>>6] |= 1 << (class & 63)
	}
	f.count = len(list)
}
