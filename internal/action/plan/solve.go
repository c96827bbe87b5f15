package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/solve"
)

// Solved is the answer to training.solve. The plan is that of the run that it names: the largest that fits, the smallest where none does, or the
// cheapest.
type Solved struct {
	Question    solve.Question `json:"question"`
	Answer      *int64         `json:"answer"` // the largest number that fits, 0 where the smallest does not; null where the question is for no number
	GPU         string         `json:"gpu"`    // the card; none where no card holds the cheapest run
	NeedBytes   int64          `json:"needBytes,omitempty"`
	MemoryBytes int64          `json:"memoryBytes,omitempty"`
	Smallest    int64          `json:"smallest,omitempty"` // that was tried, with which the model runs
	Limit       int64          `json:"limit,omitempty"`    // the largest that was tried
	LimitedBy   solve.Limit    `json:"limitedBy,omitempty"`
	Next        *Next          `json:"next,omitempty"`
	Change      string         `json:"change,omitempty"`  // what makes the smallest context fit; of a training run, fixes says it
	Choices     []Choice       `json:"choices,omitempty"` // of the cheapest run: the best of each card, the cheapest first
	Withheld    string         `json:"withheld,omitempty"`
}

// Choice is the cheapest way to take a run on a card.
type Choice struct {
	GPU         string           `json:"gpu"`
	Change      string           `json:"change,omitempty"` // in words; empty where the run is as it was asked for
	CardBytes   int64            `json:"cardBytes"`
	StepMicros  int64            `json:"stepMicros"`
	EstTrainSec quantity.Decimal `json:"estTrainSec"`
	CostUSD     quantity.Decimal `json:"costUsd"`
	Training    Training         `json:"training"` // what to ask for
}

// Next is the number behind the answer.
type Next struct {
	Value        int64 `json:"value"`
	AtLeastBytes int64 `json:"atLeastBytes"`
}

// solve answers the question of a request, and returns the request of the run that is the answer.
func (s *studied) solve(r *Request) (*Request, *Solved) {
	if r.Solve == "" {
		return r, nil
	}
	o := s.Size(r.Training, r.SeqLen)
	out := &Solved{Question: r.Solve, GPU: cmp.Or(r.Training.GPU, action.NoCard)}
	switch {
	case !s.Runs():
		out.Withheld = "the model does not run"
	case !s.Whole():
		out.Withheld = cmp.Or(s.Unpriced(), s.Bounded())
	}
	if out.Withheld != "" {
		return r, out
	}
	card := hardware.Lookup(r.Training.GPU)
	before := s.Estimates().Followed()
	a := solve.Solve(r.Solve, &solve.Run{Walked: s.Walked, Sized: s.Sized, Options: o, Use: r.Using, Card: card, Room: s.Estimates()})
	s.spent = s.Estimates().Followed() - before
	next := *r
	next.Training, next.Using = a.Options, a.Use
	next.Training.Precision = r.Training.Precision // where it is from is said where it is settled
	if a.SeqLen > 0 {
		next.SeqLen = a.SeqLen
	}
	if r.Solve == solve.MaxContext {
		next.Training.GPU = "" // the card is for its use
	}
	out.of(a)
	return &next, out
}

// of writes down what was found.
func (s *Solved) of(a *solve.Answer) {
	s.Withheld, s.Change = a.Withheld, a.Change
	if a.Withheld == "" && a.Question != solve.Cheapest {
		s.Answer, s.Smallest, s.Limit, s.LimitedBy = &a.Value, a.Smallest, a.Limit, a.Limited
	}
	if a.Next != nil {
		s.Next = &Next{a.Next.Value, a.Next.AtLeastBytes}
	}
	for _, c := range a.Choices {
		t := c.Training
		s.Choices = append(s.Choices, Choice{t.PricedOn.Name, strings.Join(c.Changes, ", and "), t.CardBytes, t.StepMicros,
			quantity.Round(t.TotalSec, 3), quantity.USD(t.CostMicroUSD), trainingOf(t)})
	}
	if len(s.Choices) > 0 {
		s.GPU = s.Choices[0].GPU
	}
}

// solved puts an answer into the record, with what the run takes of the card.
func (r *Record) solved(s *Solved) {
	if r.Solved = s; s == nil {
		return
	}
	if s.Question == solve.MaxContext {
		r.Fixes = nil // they are for training
	}
	g := hardware.Lookup(s.GPU)
	if g == nil || s.Withheld != "" {
		return
	}
	s.MemoryBytes = g.MemoryBytes
	if s.Question == solve.MaxContext {
		s.NeedBytes = r.Inference.CardBytes
	} else {
		s.NeedBytes = r.Memory.CardBytes
	}
}

// answer is a sentence on it.
func (r *Record) answer() string {
	s := r.Solved
	switch {
	case s.Withheld != "":
		return notKnown + ": " + s.Withheld
	case s.Question == solve.Cheapest:
		return r.cheapest()
	case *s.Answer == 0:
		return r.noneFits()
	}
	number := grouped(*s.Answer)
	text := map[solve.Question]string{
		solve.MaxBatch:   "the largest batch on " + s.GPU + " is " + number,
		solve.MaxSeqLen:  "the longest sample that can be trained on " + s.GPU + " has " + number + " tokens",
		solve.MaxContext: "the longest context on " + s.GPU + " has " + number + " tokens",
	}[s.Question]
	switch t := &r.Training; {
	case s.Question == solve.MaxBatch && t.MicroBatch > 0:
		text = fmt.Sprintf("the largest micro-batch on %s is %s, %s samples to a step", s.GPU, number, grouped(t.Batch))
	case s.Question == solve.MaxContext:
		text += quantity.Sprintf(", %s read and %s written", grouped(r.Inference.Prompt), grouped(r.Inference.Generated))
	}
	return text + "; it needs " + quantity.Bytes(s.NeedBytes) + " of " + quantity.Bytes(s.MemoryBytes) + s.beyond()
}

// beyond says why no larger number is the answer.
func (s *Solved) beyond() string {
	switch {
	case s.Next != nil && quantity.Bytes(s.Next.AtLeastBytes) == quantity.Bytes(s.MemoryBytes): // it would read as if that did
		return "; " + grouped(s.Next.Value) + " does not fit"
	case s.Next != nil:
		return "; " + grouped(s.Next.Value) + " would need at least " + quantity.Bytes(s.Next.AtLeastBytes)
	case s.LimitedBy == solve.Positions:
		return "; the model was made for no more"
	}
	return "; no larger number is tried"
}

// noneFits says what the smallest number needs, and what would do.
func (r *Record) noneFits() string {
	s := r.Solved
	what := map[solve.Question]string{solve.MaxBatch: "batch", solve.MaxSeqLen: "sample", solve.MaxContext: "context"}[s.Question]
	needs := "%s tokens need %s of %s"
	if s.Question == solve.MaxBatch {
		needs = "%s samples need %s of %s"
	}
	text := "no " + what + " fits " + s.GPU + ": " + quantity.Sprintf(needs, grouped(s.Smallest), quantity.Bytes(s.NeedBytes), quantity.Bytes(s.MemoryBytes))
	if s.Change != "" {
		return text + "; it fits with " + s.Change
	}
	return text + r.wouldDo()
}

// wouldDo names the cheapest change that makes the run fit.
func (r *Record) wouldDo() string {
	if len(r.Fixes) == 0 || !r.Fixes[0].Fits {
		return "; no change that is known makes it fit"
	}
	f := &r.Fixes[0]
	return fmt.Sprintf("; the cheapest change that makes it fit: %s, about %s", f.Change, dollars(f.CostUSD))
}

// cheapest says which card and settings a run costs least on.
func (r *Record) cheapest() string {
	s := r.Solved
	if len(s.Choices) == 0 {
		what := "no card that can be rented holds the run"
		if s.GPU != action.NoCard {
			what = s.GPU + " does not hold the run"
		}
		return what + ", neither in smaller pieces of its batch nor with checkpointing" + r.wouldDo()
	}
	var parts []string
	for i := range s.Choices {
		c := &s.Choices[i]
		how := "as it is"
		if c.Change != "" {
			how = "with " + c.Change
		}
		parts = append(parts, fmt.Sprintf("%s %s, about %s in %s", c.GPU, how, dollars(c.CostUSD), quantity.AboutDuration(micros(c.EstTrainSec))))
	}
	text := "the cheapest is " + strings.Join(parts, "; then ")
	if r.Training.SamplesAssumed {
		text += "; how many samples there are is assumed"
	}
	return text
}

// sentenced begins a text with a capital, and ends it.
func sentenced(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }
