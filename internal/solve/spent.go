package solve

import "github.com/modelverifier/verifier/internal/estimate"

// mostFollowed is how many operations are followed for a question at the most, in all estimates together: what a plan has time for. The longest sample
// for PPO of a decoder of 32 layers takes more, and has no answer.
const mostFollowed = 3 << 17

// tooMany begins why a question is not answered that takes more.
const tooMany = "the model has so many operations that there is no time to try all "

// spent is what was followed for a question, in one room.
type spent struct {
	room   *estimate.Room
	start  int // what the room had followed for others
	before int // with all but the last estimate
	each   int // of the largest estimate
}

func newSpent(room *estimate.Room) *spent {
	start := room.Followed()
	return &spent{room: room, start: start, before: start}
}

// all reports whether another estimate would be one too many. It is asked before each.
func (s *spent) all() bool {
	now := s.room.Followed()
	s.each, s.before = max(s.each, now-s.before), now
	return now-s.start+s.each > mostFollowed
}

// hopeless reports whether a question would be given up before its answer, which takes so many estimates at the least, two or more. Each is of the run as
// it is asked for, in other pieces. A search that tries other lengths of it follows as many operations.
func (r *Run) hopeless(o estimate.Options, estimates, cards int) bool {
	first, again := r.Room.Least(r.Sized, o, cards)
	return 2*first+(estimates-2)*again > mostFollowed // the last is expected to be like the largest
}
