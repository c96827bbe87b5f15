// Package interp follows Python programs without running Python: it evaluates what is constant, and keeps what it cannot know as a
// value that says why.
//
// It knows the language and the parts of its standard library that model files use. It must not know PyTorch: packages and objects
// from outside are given to it as native modules and values. Steps, depth and memory are bounded. Nothing is read but Python files
// below one root.
package interp

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Value is a Python value: nil is None; bool, int64, float64 and string are themselves; everything else is one of the types of this
// package, or a native one that implements the interfaces in object.go.
type Value any

// The containers.
type (
	// List is mutable, like Python's.
	List struct{ Items []Value }
	// Tuple is not. Class and Fields are set for named tuples.
	Tuple struct {
		Items  []Value
		Class  *Class
		Fields []string
	}
	// Set keeps the order in which items came.
	Set struct{ d Dict }
	// Range is range(…), which takes no memory however long it is.
	Range struct{ Start, Stop, Step int64 }
	// Slice is lo:hi:step.
	Slice struct{ Lo, Hi, Step Value }
	// Iterator is what iter() and generators give.
	Iterator struct {
		items []Value
		at    int
	}
	// Symbol is a constant that only its name is known of, such as a data type.
	Symbol struct{ Name string }
	// Unknown is a value that could not be found out. What is made of it is unknown, too.
	Unknown struct {
		Why  string
		File string
		Line int
		// Harmless is set where the value cannot be or hold a part of a model.
		Harmless bool
	}
	// Missing stands for an argument that was not given, in native functions.
	Missing struct{}
)

// Callables and what they hang on.
type (
	// Func is a function of the source.
	Func struct {
		Name      string
		Params    []python.Param
		Defaults  []Value // one for each parameter; Missing where there is none
		Body      []python.Stmt
		Expr      python.Expr // of a lambda
		Generator bool
		Attrs     map[string]Value
		Class     *Class // where it was defined, for super()
		Line      int
		env       *env
		module    *Module
		guess     string // what is not known of its decorators
	}
	// Bound is a function with its self.
	Bound struct {
		Fn   Value
		Self Value
	}
	// Builtin is a native function. A Method gets its self first when it is read from an instance. Check, where there is one, raises for
	// arguments that the real function does not take.
	Builtin struct {
		Name   string
		Method bool
		Fn     func(*Interp, *Args) Value
		Check  func(*Interp, *Args)
		Attrs  map[string]Value
	}
	// Property, StaticMethod and ClassMethod are what the decorators make.
	Property     struct{ Get, Set Value }
	StaticMethod struct{ Fn Value }
	ClassMethod  struct{ Fn Value }
	// Super is super(): a look at the classes behind one of them.
	Super struct {
		after *Class
		self  Value
		of    *Class
	}
)

// Module is a Python module: its names.
type Module struct {
	Name  string
	File  string
	Attrs map[string]Value
	env   *env
	// Lookup, of a native module, gives the names that Attrs does not have.
	Lookup func(name string) (Value, bool)
	// Values, of a native module, reports names whose calls give values that are no parts of a model.
	Values func(name string) bool
	// Lacks, of a native module, reports names that the real one certainly does not have.
	Lacks func(name string) bool
	// Local are the names of a native module that differ from machine to machine.
	Local map[string]bool

	source  string
	tree    *python.File
	guessed map[string]string // names that were defined on a guess, and which
	stars   []string          // modules that it imports all of, when a name is asked for
	// What is known of them: how many were looked through, the names they define, and names that none of them has.
	starred   int
	starNames map[string]int
	unstarred map[string]bool
	open      bool // there are names that are not known: it imports all of a module that is not
}

// lazy is a name that an import binds: the module is read when the name is used.
type lazy struct {
	module, name string
	line         int
	file         string
	busy         bool // it is being looked for
}

// Args are the arguments of a call.
type Args struct {
	Pos []Value
	Kw  []KV
}

// KV is an argument given by name.
type KV struct {
	Name  string
	Value Value
}

// NewTuple and NewList make containers.
func NewTuple(items ...Value) *Tuple { return &Tuple{Items: items} }

// NewList makes a list.
func NewList(items ...Value) *List { return &List{items} }

// TypeName is the name of a value's type, for messages and type().
func TypeName(v Value) string {
	switch x := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case *List:
		return "list"
	case *Tuple:
		if x.Class != nil {
			return x.Class.Name
		}
		return "tuple"
	case *Dict:
		return "dict"
	case *Set:
		return "set"
	case *Range:
		return "range"
	case *Slice:
		return "slice"
	case *Func, *Builtin, *Bound:
		return "function"
	case *Class:
		return "type"
	case *Instance:
		return x.Class.Name
	case *Module:
		return "module"
	case *Unknown:
		return "unknown"
	case Symbol:
		return x.Name
	case *Iterator:
		return "iterator"
	case *Partial:
		return "partial"
	case interface{ TypeName() string }:
		return x.TypeName()
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
}

// maxRepr bounds the text of a value: a list of lists of lists would be longer than memory.
const maxRepr = 16 << 10

// Repr writes a value as repr() does, as far as it matters to a reader.
func Repr(v Value) string {
	if s, ok := v.(string); ok {
		return "'" + s + "'"
	}
	p := printer{}
	p.value(v, 0)
	return p.String()
}

// printer writes values until there is enough.
type printer struct{ strings.Builder }

func (p *printer) value(v Value, depth int) {
	if depth > 8 || p.Len() > maxRepr {
		p.WriteString("…")
		return
	}
	switch x := v.(type) {
	case string:
		p.WriteString("'" + graph.Cut(x, maxRepr) + "'")
	case *List:
		p.items("[", x.Items, "]", depth)
	case *Tuple:
		if len(x.Items) == 1 {
			p.items("(", x.Items, ",)", depth)
			return
		}
		p.items("(", x.Items, ")", depth)
	case *Set:
		p.items("{", x.d.keys, "}", depth)
	case *Dict:
		p.dict(x, depth)
	case Assumed:
		p.value(x.Value, depth)
	default:
		p.WriteString(graph.Cut(scalar(v), maxRepr))
	}
}

func (p *printer) dict(x *Dict, depth int) {
	p.WriteByte('{')
	for i, k := range x.keys {
		if i > 0 {
			p.WriteString(", ")
		}
		if p.Len() > maxRepr {
			p.WriteString("…")
			break
		}
		p.value(k, depth+1)
		p.WriteString(": ")
		p.value(x.vals[i], depth+1)
	}
	p.WriteByte('}')
}

func (p *printer) items(open string, items []Value, end string, depth int) {
	p.WriteString(open)
	for i, v := range items {
		if i > 0 {
			p.WriteString(", ")
		}
		if i == 32 || p.Len() > maxRepr {
			p.WriteString("…")
			break
		}
		p.value(v, depth+1)
	}
	p.WriteString(end)
}

// scalar writes what holds no other values.
func scalar(v Value) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		if x {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return floatText(x)
	case *Class:
		return "<class '" + x.Name + "'>"
	case *Func:
		return "<function " + x.Name + ">"
	case *Range:
		return fmt.Sprintf("range(%d, %d)", x.Start, x.Stop)
	case Symbol:
		return x.Name
	}
	return "<" + TypeName(v) + ">"
}

func floatText(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".en") {
		s += ".0"
	}
	return s
}

// Str writes a value as str() does.
func Str(v Value) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Repr(v)
}
