package jobs

import (
	"fmt"
	"time"

	"github.com/modelverifier/verifier/internal/hardware"
)

// Limits is what an organisation may use. Money is in micro-dollars.
type Limits struct {
	BigGPU        bool          // cards with 80 GB and more
	InFlight      int64         // jobs that have not ended
	JobsPerDay    int64         // by the UTC day on which they were made
	DollarsPerDay int64         // of the jobs of a UTC day: what they cost, or what is reserved
	Runtime       time.Duration // of one job, all attempts together
	AgentMessages int64         // a day
}

// DefaultLimits are those of an organisation for which the operator set none. docs/jobs.md lists them.
var DefaultLimits = Limits{
	BigGPU:        false,
	InFlight:      2,
	JobsPerDay:    20,
	DollarsPerDay: 25_000_000,
	Runtime:       time.Hour,
	AgentMessages: 200,
}

// Codes of what was hit.
const (
	CodeBigGPU   = "big-gpu"
	CodeInFlight = "jobs-in-flight"
	CodeJobs     = "jobs-today"
	CodeDollars  = "usd-today"
)

// LimitError is returned for a job that an organisation may not have now. Dollars are in micro-dollars.
type LimitError struct {
	Code        string
	Limit, Used int64
	ResetsAt    time.Time // zero where nothing resets by itself
}

func (e *LimitError) Error() string {
	switch e.Code {
	case CodeBigGPU:
		return fmt.Sprintf("cards with %d GB and more are not in the limits of this organisation", bigGB)
	case CodeInFlight:
		return fmt.Sprintf("%d of %d jobs have not ended: wait for one, or cancel it", e.Used, e.Limit)
	case CodeJobs:
		return fmt.Sprintf("%d of %d jobs of today are made", e.Used, e.Limit)
	}
	const dollar = 1e6
	return fmt.Sprintf("$%.2f of the $%.2f of today are spent or reserved, which leaves too little for this job", float64(e.Used)/dollar, float64(e.Limit)/dollar)
}

// bigGB is the memory, as the card is sold, from which it is in the big-GPU tier.
const bigGB = 80

// Big says whether a card is in the big-GPU tier: A100-80GB and up.
func Big(gpu string) bool {
	card := hardware.Lookup(gpu)
	return card != nil && card.MarketedGB >= bigGB
}

// Use is what an organisation uses of its limits.
type Use struct {
	InFlight int64
	Today    int64 // jobs that were made on this UTC day
	Dollars  int64 // of those: the cost of what has ended, and what is reserved for the rest
}

// day is the UTC day of a time, and the one behind it.
func day(now time.Time) (begins, ends time.Time) {
	begins = now.UTC().Truncate(24 * time.Hour) // UTC has no other days
	return begins, begins.Add(24 * time.Hour)
}

// allow says which limit a job would exceed, in the order of the specification, or nil.
func (l Limits) allow(use Use, gpu string, reserve int64, now time.Time) error {
	_, midnight := day(now)
	switch {
	case !l.BigGPU && Big(gpu):
		return &LimitError{Code: CodeBigGPU, Limit: 0, Used: 1}
	case use.InFlight >= l.InFlight:
		return &LimitError{Code: CodeInFlight, Limit: l.InFlight, Used: use.InFlight}
	case use.Today >= l.JobsPerDay:
		return &LimitError{Code: CodeJobs, Limit: l.JobsPerDay, Used: use.Today, ResetsAt: midnight}
	case reserve > 0 && reserve > l.DollarsPerDay-use.Dollars:
		return &LimitError{Code: CodeDollars, Limit: l.DollarsPerDay, Used: use.Dollars, ResetsAt: midnight}
	}
	return nil
}
