// Package arena keeps many short lists in few allocations. It knows nothing of what the lists hold.
package arena

import "reflect"

// Of is an arena of lists. One list is open at a time: Push adds to it, Take closes it. The zero value is ready.
type Of[T any] struct {
	chunk  []T // its first mark items belong to lists already taken
	mark   int
	before int // items of the chunks before
}

// most is how many items are allocated ahead at most.
const most = 8192

// Reserve makes room for a list of as many items. No list may be open.
func (a *Of[T]) Reserve(items int) {
	if len(a.chunk)+items > cap(a.chunk) {
		a.before += a.mark
		a.chunk, a.mark = make([]T, 0, items), 0
	}
}

// Expect makes room for a list of perhaps as many items: where there is room for half of them it takes no more, as fewer may come.
func (a *Of[T]) Expect(items int) {
	if cap(a.chunk)-len(a.chunk) < items/2 {
		a.Reserve(items)
	}
}

// kept is how many bytes an arena has after Clear at the most: what a model of as many components as a service takes fills. One that grew with a
// larger model is let go.
const kept = 1 << 20

// Clear takes all lists back and leaves nothing of them: their memory is used again, in one chunk.
func (a *Of[T]) Clear() {
	items := max(cap(a.chunk), a.before+len(a.chunk))
	switch {
	case items*int(reflect.TypeFor[T]().Size()) > kept:
		a.chunk = nil
	case items > cap(a.chunk):
		a.chunk = make([]T, 0, items)
	}
	clear(a.chunk)
	a.chunk, a.mark, a.before = a.chunk[:0], 0, 0
}

// Push adds an item to the open list.
func (a *Of[T]) Push(v T) {
	if len(a.chunk) == cap(a.chunk) {
		a.grow(1)
	}
	a.chunk = append(a.chunk, v)
}

// PushAll adds items to the open list.
func (a *Of[T]) PushAll(list []T) {
	if len(a.chunk)+len(list) > cap(a.chunk) {
		a.grow(len(list))
	}
	a.chunk = append(a.chunk, list...)
}

// grow moves the open list, and nothing else, into a chunk with room for as many more.
func (a *Of[T]) grow(items int) {
	open := a.chunk[a.mark:]
	a.before += a.mark
	room := max(2*(len(open)+items), min(2*cap(a.chunk), most), 16)
	a.chunk, a.mark = append(make([]T, 0, room), open...), 0
}

// Open returns the open list as it stands.
func (a *Of[T]) Open() []T { return a.chunk[a.mark:] }

// Take returns the open list, nil where it is empty, and opens the next.
func (a *Of[T]) Take() []T {
	from, to := a.mark, len(a.chunk)
	if from == to {
		return nil
	}
	a.mark = to
	return a.chunk[from:to:to]
}

// Make returns a list of n zero items. No list may be open.
func (a *Of[T]) Make(n int) []T {
	if len(a.chunk)+n > cap(a.chunk) {
		a.Reserve(max(n, min(2*cap(a.chunk), most)))
	}
	a.chunk = a.chunk[:len(a.chunk)+n] // what lies behind the end of a chunk was never used, or cleared
	return a.Take()
}
