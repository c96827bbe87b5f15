package plan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// mostLines is how many lines of a diff, and how many findings, a rendering shows; the record has them all.
const mostLines = 20

// clipped is how many characters of a name or a value a sentence shows.
const clipped = 60

// clip keeps a name short and printable whatever was sent: a rendering goes to terminals and into comments.
func clip(s string) string {
	s = printable(s[:prefix(s, clipped+1)])
	if utf8.RuneCountInString(s) <= clipped {
		return s
	}
	return s[:prefix(s, clipped-1)] + "…"
}

// printable replaces what would move a cursor, change a colour or break a line.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return quantity.Grouped(int64(n)) + " " + noun + "s"
}

// dollars writes an estimate that a record holds.
func dollars(d quantity.Decimal) string {
	if d.Unscaled < 0 {
		return "-" + quantity.AboutDollars(-d.Unscaled)
	}
	return quantity.AboutDollars(d.Unscaled)
}

func grouped(n int64) string { return quantity.Grouped(n) }

// micros is a number of seconds in whole microseconds.
func micros(d quantity.Decimal) int64 {
	n := d.Unscaled
	for range 6 - d.Places {
		n *= 10
	}
	return n
}

// time is how long the run takes, and what it lies within.
func (c *Cost) time() string {
	if c.EstTrainSec == nil {
		return notKnown
	}
	return fmt.Sprintf(c.about()+" %s (%s to %s) on %s", quantity.AboutDuration(micros(*c.EstTrainSec)), quantity.AboutDuration(micros(c.Range.LowSec)),
		quantity.AboutDuration(micros(c.Range.HighSec)), c.GPU)
}

// about says how an estimate is meant.
func (c *Cost) about() string {
	if len(c.Withheld) > 0 {
		return "at least"
	}
	return "about"
}

// price is what it costs.
func (c *Cost) price() string {
	if c.EstCostUSD == nil {
		return notKnown
	}
	return fmt.Sprintf(c.about()+" %s (%s to %s)", dollars(*c.EstCostUSD), dollars(c.Range.LowUSD), dollars(c.Range.HighUSD))
}

// peak is the memory that is allocated at the most, with its error.
func (m *Memory) peak() string {
	if m.ErrorPercent == nil {
		return quantity.Bytes(m.PeakBytes)
	}
	return fmt.Sprintf("%s ±%d %%", quantity.Bytes(m.PeakBytes), *m.ErrorPercent)
}

func signedDollars(d *quantity.Decimal) string {
	switch {
	case d.Unscaled > 0:
		return "+" + dollars(*d)
	case d.Unscaled == 0:
		return "the same price"
	}
	return dollars(*d)
}

func signedDecimal(d *quantity.Decimal) string {
	if d.Unscaled > 0 {
		return "+" + d.String()
	}
	return d.String()
}

// moreMemory is a difference of memory that the record holds in thousandths of a GB, in whole MiB and the units of all else.
func moreMemory(d quantity.Decimal) string {
	const mib = 1 << 20
	bytes := d.Unscaled
	for range 9 - d.Places {
		bytes *= 10
	}
	switch n := (max(bytes, -bytes) + mib/2) / mib * mib; {
	case n == 0:
		return "the same"
	case bytes < 0:
		return "-" + quantity.Bytes(n)
	default:
		return "+" + quantity.Bytes(n)
	}
}

// words is a source in a line.
func (s *Source) words() string {
	var parts []string
	for _, w := range []string{s.Kind, s.Target, s.Input} {
		if w != "" {
			parts = append(parts, w)
		}
	}
	return strings.Join(parts, " ")
}

// verdict is what a heading says.
func (r *Record) verdict() string {
	switch {
	case !r.Run.Legal && len(r.Run.Blockers) > 0 && r.Run.Blockers[0].Stage == "policy":
		return "refused by policy"
	case !r.Run.Legal && !r.crashes() && r.Run.Blockers[0].Stage == action.Data:
		return "does not fit the dataset"
	case !r.Run.Legal && !r.crashes():
		return "cannot be trained"
	case !r.Run.Legal:
		return "does not run"
	case len(r.Run.Withheld) > 0:
		return "runs as far as it is known"
	}
	return "runs"
}

// title is the name of the model.
func (r *Record) title() string {
	if r.Model.Name == "" {
		return "the model"
	}
	return clip(r.Model.Name)
}

// last is a sentence on the last run of this structure, empty where none is known.
func (r *Record) last() string {
	if r.History == nil || len(r.History.Rows) == 0 {
		return ""
	}
	o := r.History.Rows[0]
	at, _, _ := strings.Cut(o.At, "T")
	text := clip(o.Metric) + " " + quantity.Round(o.Value, 4).String()
	if o.Epochs != nil {
		text += " after " + quantity.Sprintf("%s epochs", quantity.Grouped(*o.Epochs))
	}
	if o.EstCostUSD != nil {
		text += " for " + quantity.Dollars(o.EstCostUSD.Unscaled)
	}
	return text + " on " + clip(at)
}

// shape writes a shape, of which nil is not known.
func shape(s []int64, text string) string {
	if s == nil {
		return "not known"
	}
	return text
}
