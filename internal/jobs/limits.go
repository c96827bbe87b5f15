package jobs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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

// limit is a line of what an operator sees and sets.
type limit struct {
	name string
	get  func(l *Limits) string
	set  func(l *Limits, value string) error
}

// count is a limit that is a number.
func count(name string, of func(*Limits) *int64) limit {
	return limit{name, func(l *Limits) string { return strconv.FormatInt(*of(l), 10) }, func(l *Limits, value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%s is %q but must be a number from 0", name, value)
		}
		*of(l) = n
		return nil
	}}
}

var limits = []limit{
	{CodeBigGPU, func(l *Limits) string { return map[bool]string{true: "yes", false: "no"}[l.BigGPU] }, func(l *Limits, value string) error {
		if value != "yes" && value != "no" {
			return fmt.Errorf("%s is %q but must be yes or no", CodeBigGPU, value)
		}
		l.BigGPU = value == "yes"
		return nil
	}},
	count(CodeInFlight, func(l *Limits) *int64 { return &l.InFlight }),
	count(CodeJobs, func(l *Limits) *int64 { return &l.JobsPerDay }),
	{CodeDollars, func(l *Limits) string { return strconv.FormatFloat(float64(l.DollarsPerDay)/dollar, 'f', -1, 64) }, func(l *Limits, value string) error {
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || !(f >= 0 && f <= 1e9) {
			return fmt.Errorf("%s is %q but must be dollars from 0 to 1000000000", CodeDollars, value)
		}
		l.DollarsPerDay = int64(math.Round(f * dollar))
		return nil
	}},
	{"runtime", func(l *Limits) string { return l.Runtime.String() }, func(l *Limits, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < runtimeLeast || d > runtimeMost {
			return fmt.Errorf("runtime is %q but must be from %v to %v", value, runtimeLeast, runtimeMost)
		}
		l.Runtime = d
		return nil
	}},
	count(CodeAgent, func(l *Limits) *int64 { return &l.AgentMessages }),
}

// The runtimes that a job can have.
const (
	runtimeLeast = time.Second
	runtimeMost  = 30 * 24 * time.Hour
)

// Set reads one limit as an operator writes it: name=value.
func (l *Limits) Set(line string) error {
	name, value, _ := strings.Cut(line, "=")
	var names []string
	for _, one := range limits {
		if one.name == name {
			return one.set(l, value)
		}
		names = append(names, one.name)
	}
	return fmt.Errorf("there is no limit %q, but %s", name, strings.Join(names, ", "))
}

// String lists the limits as Set reads them, a line each.
func (l Limits) String() string {
	var b strings.Builder
	for _, one := range limits {
		fmt.Fprintf(&b, "%s=%s\n", one.name, one.get(&l))
	}
	return b.String()
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
	case CodeAgent:
		return fmt.Sprintf("%d of %d agent messages of today are used", e.Used, e.Limit)
	}
	return fmt.Sprintf("$%.2f of the $%.2f of today are spent or reserved, which leaves too little for this job", float64(e.Used)/dollar, float64(e.Limit)/dollar)
}

// dollar is one in micro-dollars.
const dollar = 1e6

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
