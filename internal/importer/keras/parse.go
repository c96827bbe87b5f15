package keras

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"

	"github.com/modelverifier/verifier/internal/graph"
)

// Limits of a description. The deepest that people write has a model in a model in a model.
const (
	maxLayers = 20_000 // and calls of layers, those of models inside the model among them
	maxNested = 16     // models inside each other
	maxRank   = 64     // axes of a tensor
	maxName   = 4096   // letters of a name
	maxLists  = 8      // lists around a tensor in the arguments of a call
)

// bounds count what is asked for. The first that is passed ends the translation: it is told once, and what is made until then is left.
type bounds struct {
	limits                       graph.Limits
	parsed, most                 int // letters that were parsed, each as often as it was, and how many may be
	layers, nested, read, values int
	places                       int
	over                         error
}

func newBounds(limits graph.Limits, letters int) bounds {
	if limits == (graph.Limits{}) {
		limits = graph.LocalLimits
	}
	return bounds{limits: limits, most: 1<<20 + timesParsed*letters}
}

// timesParsed is how often each letter of a description may be parsed: those of ordinary ones are about five times.
const timesParsed = 12

// refuse ends the translation.
func (b *bounds) refuse(format string, args ...any) {
	if b.over == nil {
		b.over = fmt.Errorf(format, args...)
	}
}

// parse reads a value into a variable, and reports whether it fits.
func (b *bounds) parse(raw json.RawMessage, into any) bool {
	return b.again(len(raw)) && json.Unmarshal(raw, into) == nil
}

// again counts letters that are parsed, and reports whether they may be.
func (b *bounds) again(letters int) bool {
	if b.parsed += letters; b.parsed > b.most {
		b.refuse("has parts that are read again and again: more than %d letters", b.most)
	}
	return b.over == nil
}

// items are those of a list, and whether it is one. What it is given was parsed as a part of the whole before, and is legal.
func (b *bounds) items(raw json.RawMessage) (iter.Seq[json.RawMessage], bool) {
	if len(raw) == 0 || raw[0] != '[' || !b.again(len(raw)/4) {
		return nil, false
	}
	return func(yield func(json.RawMessage) bool) {
		depth, start, inText := 0, 1, false
		for i := 1; i < len(raw); i++ {
			switch c := raw[i]; {
			case inText && c == '\\':
				i++
			case c == '"':
				inText = !inText
			case inText:
			case c == '[' || c == '{':
				depth++
			case depth > 0 && (c == ']' || c == '}'):
				depth--
			case depth == 0 && (c == ',' || c == ']'):
				if item := trim(raw[start:i]); len(item) > 0 && !yield(item) {
					return
				}
				start = i + 1
			}
		}
	}, true
}

// trim takes blanks off a value.
func trim(raw json.RawMessage) json.RawMessage {
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	for len(raw) > 0 && blank(raw[0]) {
		raw = raw[1:]
	}
	for len(raw) > 0 && blank(raw[len(raw)-1]) {
		raw = raw[:len(raw)-1]
	}
	return raw
}

// called counts calls of layers.
func (b *bounds) called(calls int) {
	most := maxLayers
	if n := b.limits.Components; n > 0 {
		most = min(most, n)
	}
	if b.layers += calls; b.layers > most {
		b.refuse("has more than %d layers", most)
	}
}

// made counts a component with its parameters and what it reads.
func (b *bounds) made(components, inputs int, shape []int64, params []graph.Param) {
	b.read += inputs
	for _, p := range params {
		b.values += len(p.Value.List())
	}
	switch l := b.limits; {
	case len(shape) > maxRank:
		b.refuse("has a tensor of %d axes, more than %d", len(shape), maxRank)
	case l.Components > 0 && components > l.Components:
		b.refuse("has more than %d components", l.Components)
	case l.Connections > 0 && b.read > l.Connections:
		b.refuse("has more than %d connections", l.Connections)
	case l.Values > 0 && b.values > l.Values:
		b.refuse("has more than %d items in the lists of its layers", l.Values)
	}
}

// place counts a result that a call, an input or an output names, and reports whether there is room for it.
func (b *bounds) place() bool {
	l := b.limits
	if b.places++; l.Connections > 0 && b.places > l.Connections+l.Components {
		b.refuse("has more than %d connections", l.Connections)
	}
	return b.over == nil
}

// name is one that stands in the file.
func (b *bounds) name(s string) string {
	if len(s) > maxName {
		b.refuse("has a name of %d letters, more than %d", len(s), maxName)
		return ""
	}
	return s
}

// shapeOf reads a shape with the batch in front, in which null is 0: not fixed.
func (b *bounds) shapeOf(raw json.RawMessage) ([]int64, bool) {
	list, ok := b.items(raw)
	if !ok {
		return nil, false
	}
	out := make([]int64, 0, 4)
	for item := range list {
		n, ok := number64(item)
		if !ok || len(out) > 0 && n < 0 {
			return nil, false
		}
		if len(out) > maxRank {
			b.refuse("has a shape of more than %d axes", maxRank)
			return nil, false
		}
		out = append(out, n)
	}
	if len(out) == 0 {
		return nil, false
	}
	return out[1:], true
}

// number64 reads a whole number; null is 0.
func number64(raw json.RawMessage) (int64, bool) {
	if string(raw) == "null" {
		return 0, true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}
