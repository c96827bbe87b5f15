package policy

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Change is the lines under change: how much a model may grow against the version before.
type Change struct {
	growth [3]*Growth // in the order of changeLines
}

// Growth is the most that an amount may grow: a share of the amount before, a factor of it, or an amount.
type Growth struct {
	text     string // as written
	num, den int64  // the amount may be num/den of the one before; 0 for an amount
	most     int64  // that may be added, in the unit that is counted
}

// Amounts are what is compared of a version. Those below zero are not known.
type Amounts struct{ Params, CostMicroUSD, CardBytes int64 }

// Approval says that a version may change as it does, whatever the lines say.
type Approval struct {
	Fingerprint string // of the version, eight hex digits
	Reason      string
}

// changeLine is one kind of line.
type changeLine struct {
	key, title string
	unit       func(text string) (number string, exponent int, ok bool) // takes an amount apart
	example    string                                                   // of an amount
	of         func(Amounts) int64
	words      func(before, after int64) (string, string)
}

// changeLines are in the order in which they are judged.
var changeLines = [...]changeLine{
	{"max_params_growth", "More parameters than the change may add", counted, "5M", func(a Amounts) int64 { return a.Params },
		func(b, a int64) (string, string) { return plural(b, "parameter"), plural(a, "parameter") }},
	{"max_cost_growth", "More cost than the change may add", priced, "$2.50", func(a Amounts) int64 { return a.CostMicroUSD },
		func(b, a int64) (string, string) {
			return "an estimated $" + quantity.USD(b).String(), "an estimated $" + quantity.USD(a).String()
		}},
	{"max_memory_growth", "More memory than the change may add", weighed, "4GB", func(a Amounts) int64 { return a.CardBytes },
		func(b, a int64) (string, string) {
			before, after := quantity.BytesApart(b, a)
			return "an estimated " + before + " on the card", "an estimated " + after + " on the card"
		}},
}

var changeKeys = func() (out []string) {
	for i := range changeLines {
		out = append(out, changeLines[i].key)
	}
	return out
}()

// counted reads 5M.
func counted(text string) (string, int, bool) {
	number, suffix, exponent := size(text)
	return number, exponent, suffix != ""
}

// priced reads $2.50 and 2.50 USD, in micro-dollars.
func priced(text string) (string, int, bool) {
	if number, ok := strings.CutPrefix(text, "$"); ok {
		return strings.TrimSpace(number), 6, true
	}
	number, ok := cutSuffixFold(text, "USD")
	return number, 6, ok
}

// weighed reads 4GB and 500 MB, in bytes.
func weighed(text string) (string, int, bool) {
	if number, ok := cutSuffixFold(text, "GB"); ok {
		return number, 9, true
	}
	number, ok := cutSuffixFold(text, "MB")
	return number, 6, ok
}

func cutSuffixFold(s, suffix string) (string, bool) {
	n := len(s) - len(suffix)
	if n < 0 || !strings.EqualFold(s[n:], suffix) {
		return s, false
	}
	return strings.TrimSpace(s[:n]), true
}

// shareDigits is how finely a percentage or a factor is read.
const shareDigits, shareOne = 6, 1_000_000

func (l *changeLine) read(v item) (*Growth, *graph.Error) {
	g := &Growth{text: strings.TrimSpace(v.text)}
	if v.kind == graph.Int && v.text == "0" {
		return g, nil
	}
	describe := `a share such as 10%, a factor such as 1.5x, or an amount such as ` + l.example
	if v.kind != graph.String {
		return nil, v.errorf(CodeValue, "must say its unit: %s, not %s", describe, clip(v.text))
	}
	number, exact, ok := int64(0), false, false
	amount, exponent, isAmount := l.unit(g.text)
	switch share, isShare := strings.CutSuffix(g.text, "%"); {
	case isShare:
		number, exact, ok = fixedPoint(strings.TrimSpace(share), shareDigits)
		g.num, g.den = number, 100*shareOne
	case strings.HasSuffix(g.text, "x"):
		number, exact, ok = fixedPoint(strings.TrimSpace(strings.TrimSuffix(g.text, "x")), shareDigits)
		g.num, g.den = number, shareOne
	case isAmount:
		number, exact, ok = fixedPoint(amount, exponent)
		g.most = number
	}
	if !ok || !exact {
		return nil, v.errorf(CodeValue, "must be %s, not %s", describe, strconv.Quote(clip(v.text)))
	}
	if number < 0 || number > 1<<62-100*shareOne {
		return nil, v.errorf(graph.CodeNumber, "%s is too large", clip(v.text))
	}
	if strings.HasSuffix(g.text, "%") {
		g.num += g.den // on top of what there was
	}
	return g, nil
}

// allows compares without rounding: products of two counts do not fit a machine word.
func (g *Growth) allows(before, after int64) bool {
	a, b := big.NewInt(after), big.NewInt(before)
	if g.den == 0 {
		return a.Sub(a, b).Cmp(big.NewInt(g.most)) <= 0
	}
	return a.Mul(a, big.NewInt(g.den)).Cmp(b.Mul(b, big.NewInt(g.num))) <= 0
}

// Set lists the lines that are set.
func (c *Change) Set() []Line {
	var out []Line
	for i := range changeLines {
		if g := c.growth[i]; g != nil {
			l := &changeLines[i]
			out = append(out, Line{l.key, l.key + ": " + g.text, rules.Block, l.title})
		}
	}
	return out
}

// Check returns the lines that the change from one version to the next breaks, each as a violation that blocks, and those that
// could not be checked, which warn.
func (c *Change) Check(before, after Amounts) []Violation {
	var out []Violation
	for i := range changeLines {
		l, g := &changeLines[i], c.growth[i]
		if g == nil {
			continue
		}
		v := Violation{Line: l.key + ": " + g.text, Key: l.key, Severity: rules.Block, Title: l.title}
		b, a := l.of(before), l.of(after)
		switch {
		case b < 0 || a < 0:
			v.Severity, v.Title = rules.Warn, "A line of change: could not be checked"
			v.Detail = v.Line + ": could not be checked, because not everything is known of both versions"
		case g.allows(b, a):
			continue
		default:
			before, after := l.words(b, a)
			v.Detail = v.Line + ": " + before + " before, " + after + " now" + grown(b, a)
		}
		out = append(out, v)
	}
	return out
}

// grown writes the growth as a percentage, rounded to one digit as tables of changes have it.
func grown(before, after int64) string {
	if before <= 0 || after < before {
		return ""
	}
	share := new(big.Int).Mul(big.NewInt(after-before), big.NewInt(1000))
	share.Add(share, big.NewInt(before/2))
	share.Quo(share, big.NewInt(before))
	tenths := new(big.Int)
	share.QuoRem(share, big.NewInt(10), tenths)
	return " (+" + share.String() + "." + tenths.String() + " %)"
}

func readChange(v item) (c Change, err *graph.Error) {
	if err := v.only("line of change", changeKeys...); err != nil {
		return c, err
	}
	for i := range changeLines {
		if m := v.member(changeLines[i].key); m != nil {
			if c.growth[i], err = changeLines[i].read(*m); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// Approved returns the approval of the version with a fingerprint, or nil.
func (f *File) Approved(fingerprint string) *Approval {
	if f == nil {
		return nil
	}
	for i := range f.Approvals {
		if f.Approvals[i].Fingerprint == fingerprint {
			return &f.Approvals[i]
		}
	}
	return nil
}

func approvals(v item) ([]Approval, *graph.Error) {
	if v.kind != graph.List {
		return nil, v.wrong("a list of approvals")
	}
	var out []Approval
	for _, e := range v.list {
		if err := e.only("part of an approval", "fingerprint", "reason"); err != nil {
			return nil, err
		}
		f, r := e.member("fingerprint"), e.member("reason")
		switch {
		case f == nil:
			return nil, e.errorf(graph.CodeMissing, "an approval needs a fingerprint")
		case !isFingerprint(f.raw):
			return nil, f.errorf(CodeValue, "must be the eight hex digits that verifier plan prints, not %q", clip(f.raw))
		case r == nil:
			return nil, e.errorf(graph.CodeMissing, "an approval needs a reason")
		case r.kind != graph.String || strings.TrimSpace(r.text) == "":
			return nil, r.wrong("a string that says something")
		case slices.ContainsFunc(out, func(a Approval) bool { return a.Fingerprint == f.raw }):
			return nil, f.errorf(graph.CodeDuplicate, "%s is approved twice", f.raw)
		}
		out = append(out, Approval{f.raw, r.text})
	}
	return out, nil
}

func isFingerprint(s string) bool { return len(s) == 8 && strings.Trim(s, "0123456789abcdef") == "" }
