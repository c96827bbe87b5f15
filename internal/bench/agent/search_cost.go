package agent

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/infer"
)

// million is what a constraint that fails costs, before it is looked at how far it is from holding.
const million = 1_000_000

// budgets are the kinds of constraints that sizes decide, in the order in which they are worked on.
var budgets = []string{"params", "fits", "peak-memory", "cache-bytes", "serves", "flops", "cost", "latency", "share",
	"depth"}

// cost says how far a try is from passing. All of it are whole numbers, so that a search takes the same way on every
// machine.
func (s *searcher) cost(t *try) int64 {
	if len(t.grade.Checks) == 0 {
		return math.MaxInt64
	}
	total := int64(0)
	for i, c := range t.grade.Checks {
		if !c.Held {
			total += million + s.distance(t, &s.task.Constraints[i], &c)
		}
	}
	return total
}

// distance says how far one constraint is from holding, from 0 to a few millions.
func (s *searcher) distance(t *try, c *bench.Constraint, check *bench.Check) int64 {
	switch c.Kind {
	case "runs":
		return 2*million + million/4*int64(min(8, len(t.found))) + 3*million*unknown(t.seen)/int64(1+len(t.seen.Nodes))
	case "params":
		return apart(t.seen.Params, c.Min, c.Max)
	case "flops":
		return apart(t.seen.FLOPs, c.Min, c.Max)
	case "live", "real", "input", "output", "keeps":
		return 2 * million
	}
	said := figures(check.Got)
	if len(said) == 0 {
		return million
	}
	switch c.Kind {
	case "fits":
		return over(said[len(said)-2:])
	case "share":
		return apart(int64(said[len(said)-2]*100), 0, int64(said[len(said)-1]*float64(c.Max)))
	case "cost":
		return apart(int64(said[0]*million), c.Min, c.Max)
	case "edits", "uses", "without", "depth":
		return min(10, max(c.Min-int64(said[0]), int64(said[0])-c.Max, 1)) * million / 10
	case "cache-bytes", "peak-memory", "latency":
		return apart(int64(said[0]), c.Min, c.Max)
	}
	return million
}

// unknown counts the components of which it is not known that they run.
func unknown(res *infer.Result) (n int64) {
	for i := range res.Nodes {
		if res.Nodes[i].State != infer.Legal {
			n++
		}
	}
	return n
}

// apart is how far a number lies outside a range, in millionths of it. A bound of 0 is none.
func apart(n, low, high int64) int64 {
	bound := low
	if high > 0 && n > high {
		bound = high
	}
	if bound == 0 {
		return 0
	}
	difference := float64(n) - float64(bound)
	return int64(math.Abs(difference) / math.Max(float64(n), float64(bound)) * million)
}

// over is how far the first of two numbers lies above the second.
func over(pair []float64) int64 {
	if len(pair) < 2 || pair[0] <= 0 {
		return million
	}
	return int64(math.Max(0, pair[0]-pair[1]) / pair[0] * million)
}

var digits = regexp.MustCompile(`\d[\d,]*(\.\d+)?`)

// figures are the numbers that a text states.
func figures(text string) (out []float64) {
	for _, word := range digits.FindAllString(text, 32) {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(word, ",", ""), 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// stated are the numbers of the prompt's own sentences, without those of the constraints, which follow in lines of
// their own.
func stated(t *bench.Task) (whole []int64, fractions []float64) {
	for line := range strings.SplitSeq(t.Prompt, "\n") {
		if strings.Contains(line, "must meet all of this") {
			break
		}
		for _, v := range figures(line) {
			switch {
			case v == math.Trunc(v) && len(whole) < 8:
				whole = append(whole, int64(v))
			case v < 1 && len(fractions) < 4:
				fractions = append(fractions, v)
			}
		}
	}
	return whole, fractions
}
