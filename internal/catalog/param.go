package catalog

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// Kind is what a parameter takes.
type Kind uint8

// The kinds of parameters.
const (
	Int    Kind = iota
	Float       // a number, whole or not
	Bool        // true, false, or what Python takes for one
	String      // a word; one of Values where there are any
	Dims        // an integer, or a list with one for each of the N spatial axes; or one of the words in Values
	Ints        // an integer or a list of integers
	Floats      // a number or a list of numbers
)

// Param is a parameter of a type.
type Param struct {
	Name    string
	Kind    Kind
	Doc     string
	Aliases []string

	Default   any               // nil: required, unless one of the next three holds
	Optional  bool              // may be left out and then has no value
	Lazy      bool              // taken from the axis Reads of the first input if left out
	Derive    func(*Call) int64 // computed from other parameters if left out; DeriveDoc says how
	DeriveDoc string

	Min, Max int64    // of integers, at each place of a list; Max 0 is no bound
	Negative bool     // integers may be negative: Min does not hold
	Values   []string // the words that a String, Dims or Ints takes
	N        int      // the number of axes of Dims
	One      bool     // a Dims also takes a list of one, for all axes
	Nulls    bool     // the list of a Dims may have null in places
	ListOnly bool     // an Ints must be a list
	EmptyOK  bool     // the list of an Ints or a Dims may be empty
	Strict   bool     // a Bool must be true or false: torch's functions, unlike its modules, take nothing else
	Bools    bool     // an Int may be true or false, which are 1 and 0 wherever Python and not torch reads it
	NotNull  bool     // null is refused, since None is a value of its own and does not run; else null is left out
	Missing  string   // the rule that leaving it out breaks, where that is not missing-param
	Unless   string   // another parameter that, where it is given, makes leaving this one out no fault
	Breaks   string   // the rule that giving it breaks; its value says how

	Reads  Axis // the axis of the first input that must have this size
	Writes Axis // the axis of the result that gets this size

	value graph.Value // Default
}

// Axis names an axis of a shape without the batch; the zero value names none.
type Axis int8

// At returns the Axis at a position of a shape: 0 is the first behind the batch, -1 the last.
func At(i int) Axis {
	if i < 0 {
		return Axis(i)
	}
	return Axis(i + 1)
}

// In returns the position in a shape of the given rank, and whether there is one.
func (a Axis) In(rank int) (int, bool) {
	i := int(a) - 1
	if a < 0 {
		i = rank + int(a)
	}
	return i, a != 0 && i >= 0 && i < rank
}

// Required reports whether the parameter must be given.
func (p *Param) Required() bool {
	return p.Default == nil && !p.Optional && !p.Lazy && p.Derive == nil
}

// DefaultValue returns the default, null if there is none.
func (p *Param) DefaultValue() graph.Value { return p.value }

func (p *Param) resolve(owner string) {
	switch d := p.Default.(type) {
	case nil:
	case bool:
		p.value = graph.BoolValue(d)
	case int:
		p.value = graph.IntValue(int64(d))
	case float64:
		p.value = graph.FloatValue(d)
	case string:
		p.value = graph.StringValue(d)
	case []int64:
		p.value = graph.IntsValue(d...)
	default:
		panic(fmt.Sprintf("catalog: default of %s.%s has type %T", owner, p.Name, d))
	}
}

// Takes says in words what the parameter accepts.
func (p *Param) Takes() string {
	bound := ""
	switch {
	case p.Negative:
	case p.Max > 0:
		bound = fmt.Sprintf(" from %d to %d", p.Min, p.Max)
	default:
		bound = fmt.Sprintf(" of at least %d", p.Min)
	}
	words := ""
	if len(p.Values) > 0 {
		words = strings.Join(p.Values, ", ")
	}
	switch p.Kind {
	case Int:
		return "an integer" + bound
	case Float:
		return "a number"
	case Bool:
		return "true or false"
	case String:
		if words != "" {
			return "one of " + words
		}
		return "a string"
	case Dims:
		s := fmt.Sprintf("an integer%s or a list of %d", bound, p.N)
		if words != "" {
			s += ", or " + words
		}
		return s
	case Ints:
		if p.ListOnly {
			return "a list of integers" + bound
		}
		s := "an integer" + bound + " or a list of them"
		if words != "" {
			s += ", or " + words
		}
		return s
	}
	return "a number or a list of numbers"
}

// Check reports whether a value is of the parameter's kind and range.
func (p *Param) Check(v graph.Value) bool {
	switch p.Kind {
	case Int:
		if p.Bools && v.Kind() == graph.Bool {
			return v.Bool() || p.inRange(0)
		}
		return v.Kind() == graph.Int && p.inRange(v.Int())
	case Float:
		return v.Kind() == graph.Int || v.Kind() == graph.Float || v.Kind() == graph.Bool // to Python true is 1
	case Bool:
		if p.Strict {
			return v.Kind() == graph.Bool
		}
		return v.Kind() != graph.Object // Python asks any value whether it is true
	case String:
		return v.Kind() == graph.String && p.takesWord(v.Str())
	case Dims:
		if v.Kind() == graph.String {
			return len(p.Values) > 0 && p.takesWord(v.Str())
		}
		n := len(v.List())
		return p.ints(v) && (v.Kind() == graph.Int || n == p.N || p.One && n == 1 || p.EmptyOK && n == 0)
	case Ints:
		if v.Kind() == graph.String {
			return len(p.Values) > 0 && p.takesWord(v.Str())
		}
		return p.ints(v)
	}
	if v.Kind() != graph.List {
		return v.Kind() == graph.Int || v.Kind() == graph.Float
	}
	for _, x := range v.List() {
		if x.Kind() != graph.Int && x.Kind() != graph.Float {
			return false
		}
	}
	return len(v.List()) > 0
}

func (p *Param) inRange(n int64) bool {
	return p.Negative || (n >= p.Min && (p.Max == 0 || n <= p.Max))
}

func (p *Param) takesWord(s string) bool {
	for _, w := range p.Values {
		if w == s {
			return true
		}
	}
	return len(p.Values) == 0
}

func (p *Param) ints(v graph.Value) bool {
	if v.Kind() == graph.Int {
		return !p.ListOnly && p.inRange(v.Int())
	}
	if v.Kind() != graph.List || len(v.List()) == 0 && !p.EmptyOK {
		return false
	}
	for _, x := range v.List() {
		if p.Nulls && x.Kind() == graph.Null {
			continue
		}
		if x.Kind() != graph.Int || !p.inRange(x.Int()) {
			return false
		}
	}
	return true
}

// synonyms are the names that different tools give one parameter: where a type has one of a group, it takes them all.
var synonyms = [][]string{
	{"vocabSize", "numEmbeddings"},
	{"embedDim", "hiddenDim", "dModel", "embeddingDim"},
	{"maxLen", "maxSeqLen"},
	{"dim", "axis"},
	{"inChannels", "inChans"},
	{"reduction", "reductionRatio"},
}

// Canonical returns the name under which the type reads a parameter, or the name given if it reads no such.
func (t *Type) Canonical(name string) string {
	if t.Param(name) != nil {
		return name
	}
	var buf [longestSpelling + 1]byte
	if canonical, ok := t.spellings[string(squashInto(&buf, name))]; ok {
		return canonical
	}
	return name
}

// spell collects every name under which a type reads its parameters: its own spelling comes first, then aliases, then synonyms.
func (t *Type) spell() {
	t.spellings = map[string]string{}
	add := func(spelling, name string) {
		key := squash(spelling)
		if len(key) > longestSpelling {
			panic("catalog: " + spelling + " is too long for a name")
		}
		if t.spellings[key] == "" {
			t.spellings[key] = name
		}
	}
	for i := range t.Params {
		add(t.Params[i].Name, t.Params[i].Name)
	}
	for i := range t.Params {
		for _, a := range t.Params[i].Aliases {
			add(a, t.Params[i].Name)
		}
	}
	for _, group := range synonyms {
		for _, name := range group {
			if t.Param(name) == nil {
				continue
			}
			for _, other := range group {
				add(other, name)
			}
			break
		}
	}
}

// Param returns the parameter with a name, or nil.
func (t *Type) Param(name string) *Param {
	for i := range t.Params {
		if t.Params[i].Name == name {
			return &t.Params[i]
		}
	}
	return nil
}
