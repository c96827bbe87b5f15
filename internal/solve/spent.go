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
	before int // without the last estimate
	each   int // of the largest estimate
}

// all reports whether another estimate would be one too many. It is asked before each.
func (s *spent) all() bool {
	now := s.room.Followed()
	s.each, s.before = max(s.each, now-s.before), now
	return now+s.each > mostFollowed
}
