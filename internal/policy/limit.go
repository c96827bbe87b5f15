package policy

import (
	"math"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// Limit is the most that a line allows.
type Limit struct {
	Most int64  // in the unit that is counted: parameters, layers, bytes, micro-dollars
	text string // as written, without quotes and blanks: 200M
}

// String writes the limit as it stood in the policy.
func (l *Limit) String() string { return l.text }

// exceeded compares a count with the limit; problem says what the count is.
func (l *Limit) exceeded(n int64, problem string) answer {
	if n <= l.Most {
		return answer{}
	}
	return answer{problem: problem}
}

// count says how a limit is written.
type count struct {
	sized    bool // a string with a suffix is allowed: 1.5B
	fraction bool // a fraction is allowed; what is finer than the unit counted cannot be reached and is cut off
	exponent int  // the unit written has 10^exponent of the units counted
}

func (c count) describe() string {
	switch {
	case c.sized:
		return `a whole number of 0 or more, or a string with the suffix K, M, B or T such as "200M"`
	case c.fraction:
		return "a number of 0 or more"
	}
	return "a whole number of 0 or more"
}

func (c count) limit(v item) (*Limit, *graph.Error) {
	switch {
	case v.kind == graph.Int, v.kind == graph.Float, v.kind == graph.String && c.sized:
	default:
		return nil, v.wrong(c.describe())
	}
	number, suffix, exponent := v.text, "", c.exponent
	if v.kind == graph.String {
		number, suffix, exponent = size(v.text)
	}
	most, exact, ok := fixedPoint(number, exponent)
	switch {
	case !ok, !exact && !c.fraction:
		return nil, v.errorf(CodeValue, "must be %s, not %s", c.describe(), strconv.Quote(clip(v.text)))
	case most < 0:
		return nil, v.errorf(graph.CodeNumber, "%s is too large", clip(v.text))
	}
	return &Limit{most, number + suffix}, nil
}

// size takes a size apart, with the suffix in canonical form: 1.5, B and 9 for " 1.5 b".
func size(s string) (number, suffix string, exponent int) {
	s = strings.TrimSpace(s)
	for _, unit := range []struct {
		suffix   string
		exponent int
	}{{"K", 3}, {"M", 6}, {"B", 9}, {"T", 12}} {
		if n := len(s) - 1; n >= 0 && strings.EqualFold(s[n:], unit.suffix) {
			return strings.TrimRight(s[:n], " "), unit.suffix, unit.exponent
		}
	}
	return s, "", 0
}

// fixedPoint reads a decimal such as 1.5 exactly, as a count of 10^-exponent units. What is finer is cut off and exact is
// false. A number that does not fit is -1; ok is false where the text is no decimal.
func fixedPoint(s string, exponent int) (n int64, exact, ok bool) {
	whole, fraction, point := strings.Cut(s, ".")
	if !digits(whole) || point && !digits(fraction) || len(s) > 400 {
		return 0, false, false
	}
	exact = true
	for len(fraction) < exponent {
		fraction += "0"
	}
	if strings.Trim(fraction[exponent:], "0") != "" {
		exact = false
	}
	for _, d := range []byte(whole + fraction[:exponent]) {
		if n > (math.MaxInt64-int64(d-'0'))/10 {
			return -1, exact, true
		}
		n = n*10 + int64(d-'0')
	}
	return n, exact, true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
