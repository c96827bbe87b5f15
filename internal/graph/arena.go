package graph

// arena keeps many short lists in few allocations. One list is open at a time: push adds to it, take closes it.
type arena[T any] struct {
	chunk []T // its first mark items belong to lists already taken
	mark  int
}

// arenaItems is the most that is allocated ahead.
const arenaItems = 4096

func (a *arena[T]) push(v T) {
	if len(a.chunk) == cap(a.chunk) {
		open := a.chunk[a.mark:]
		room := max(2*len(open), min(2*cap(a.chunk), arenaItems), 16)
		a.chunk, a.mark = append(make([]T, 0, room), open...), 0
	}
	a.chunk = append(a.chunk, v)
}

// take returns the open list, nil where it is empty, and opens the next.
func (a *arena[T]) take() []T {
	from, to := a.mark, len(a.chunk)
	if from == to {
		return nil
	}
	a.mark = to
	return a.chunk[from:to:to]
}
