package ledger

import (
	"cmp"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// Bounds of what a caller may say about a run. They are far beyond any run, so that only mistakes meet them.
const (
	mostMetric  = 64  // bytes
	mostSource  = 200 // bytes
	mostEpochs  = 1_000_000_000
	mostSeconds = 1e10 // three hundred years
	mostUSD     = 1e12
	ahead       = 5 * time.Minute // by which a caller's clock may be fast
)

// ownSource is that of an outcome which does not name one: it was written under the key.
const ownSource = "api"

// earliest is the first time that an outcome may have.
var earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Decode reads an outcome: fingerprint, metric and value must be there, the rest may be left out. now is when it arrived.
func Decode(body []byte, now time.Time) (Outcome, error) {
	now = now.UTC().Truncate(time.Second)
	read, err := graph.DecodeBody(body, graph.ServiceLimits, func(string) bool { return false })
	if err != nil {
		return Outcome{}, err
	}
	m := &members{body: read}
	o := Outcome{Fingerprint: m.text("fingerprint", true)}
	o.Row = Row{Metric: m.text("metric", true), Value: or(m.number("value", true)), Epochs: m.whole("epochs"), WallSec: m.number("wallSec", false),
		EstCostUSD: m.number("estCostUsd", false), Source: cmp.Or(m.text("source", false), ownSource)}
	o.Row.At, o.Undated = m.moment("at", now)
	m.fail(o.valid())
	if m.err == nil && o.Row.At.After(now.Add(ahead)) {
		m.fail(action.Errorf(action.CodeRange, "at", "is %s, which is in the future: it is %s", o.Row.At.Format(time.RFC3339), now.Format(time.RFC3339)))
	}
	if m.err != nil {
		return Outcome{}, m.err
	}
	return o, nil
}

// members reads what a body has, and keeps the first error.
type members struct {
	body *graph.Body
	err  error
}

func (m *members) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *members) value(name string, needed bool) graph.Value {
	member := m.body.Member(name)
	if member == nil {
		if needed {
			m.fail(action.Errorf(graph.CodeMissing, name, "is missing"))
		}
		return graph.Value{}
	}
	if strings.HasPrefix(member.Raw, "{") || member.Items != nil {
		m.fail(action.Errorf(graph.CodeType, name, "must be a string or a number"))
		return graph.Value{}
	}
	v, err := member.Value(name)
	if err != nil {
		m.fail(err)
	}
	return v
}

func (m *members) wrong(name, expected string, v graph.Value) {
	m.fail(action.Errorf(graph.CodeType, name, "must be %s, not %s", expected, v.Kind()))
}

func (m *members) text(name string, needed bool) string {
	v := m.value(name, needed)
	switch v.Kind() {
	case graph.Null:
		return ""
	case graph.String:
		return strings.Clone(v.Str())
	}
	m.wrong(name, "a string", v)
	return ""
}

func (m *members) number(name string, needed bool) *float64 {
	v := m.value(name, needed)
	switch v.Kind() {
	case graph.Null:
	case graph.Int:
		return new(float64(v.Int()))
	case graph.Float:
		return new(v.Float() + 0) // there is one zero
	default:
		m.wrong(name, "a number", v)
	}
	return nil
}

func (m *members) whole(name string) *int64 {
	v := m.value(name, false)
	switch v.Kind() {
	case graph.Null:
	case graph.Int:
		return new(v.Int())
	case graph.Float:
		if x := v.Float(); x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return new(int64(x))
		}
		fallthrough
	default:
		m.wrong(name, "an integer", v)
	}
	return nil
}

// moment reads a time with its zone. One that was left out is the present, and undated.
func (m *members) moment(name string, now time.Time) (at time.Time, undated bool) {
	s := m.text(name, false)
	if s == "" {
		if m.body.Member(name) != nil {
			m.fail(action.Errorf(action.CodeForm, name, "must be a time such as 2026-01-31T12:00:00Z"))
		}
		return now, true
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		m.fail(action.Errorf(action.CodeForm, name, "must be a time such as 2026-01-31T12:00:00Z"))
	}
	return at.UTC().Truncate(time.Second), false
}

// valid says what is wrong with an outcome.
func (o *Outcome) valid() error {
	if err := checkFingerprint(o.Fingerprint); err != nil {
		return err
	}
	r := &o.Row
	if r.Metric == "" {
		return action.Errorf(action.CodeForm, "metric", "must not be empty")
	}
	for _, t := range []struct {
		name, text string
		most       int
	}{{"metric", r.Metric, mostMetric}, {"source", r.Source, mostSource}} {
		if err := checkText(t.name, t.text, t.most); err != nil {
			return err
		}
	}
	for _, n := range []struct {
		name               string
		value, least, most float64
	}{
		{"value", r.Value, -math.MaxFloat64, math.MaxFloat64}, {"epochs", float64(or(r.Epochs)), 0, mostEpochs},
		{"wallSec", or(r.WallSec), 0, mostSeconds}, {"estCostUsd", or(r.EstCostUSD), 0, mostUSD},
	} {
		if !(n.value >= n.least && n.value <= n.most) { // neither is true of what is no number
			return action.Errorf(action.CodeRange, n.name, "is %v but must be from %v to %v", n.value, n.least, n.most)
		}
	}
	if r.At.Before(earliest) {
		return action.Errorf(action.CodeRange, "at", "is %s, before %s", r.At.Format(time.RFC3339), earliest.Format(time.RFC3339))
	}
	return nil
}

// checkText takes text that can be shown on one line.
func checkText(name, text string, most int) error {
	if len(text) > most {
		e := action.Errorf(action.CodeRange, name, "has %d bytes but must have at most %d", len(text), most)
		e.Limit = int64(most)
		return e
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return action.Errorf(action.CodeForm, name, "must be printable text on one line")
	}
	return nil
}

// checkFingerprint takes eight hexadecimal digits in lower case.
func checkFingerprint(s string) error {
	if len(s) != 8 || strings.Trim(s, "0123456789abcdef") != "" {
		return action.Errorf(action.CodeForm, "fingerprint", "must be 8 lower-case hexadecimal digits, as in plan.model.fingerprint")
	}
	return nil
}

// Printable is a text as a row may have it: on one line, without what cannot be shown.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}
