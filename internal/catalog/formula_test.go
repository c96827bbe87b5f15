package catalog

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// TestPrintedFormulasEqualTheCode evaluates the formulas of every page on the good examples.
//
// A formula is an expression in Go's syntax over the parameters (booleans are 0 or 1, a parameter without a value is 0,
// lists are indexed), in, in2, out (shapes, indexed from 0, negative from the end; in(i) is input i), rank(x), size(x),
// size(x, from) (product of the axes from there on), pairs(x) (the sum of the products of neighbours), sizes(from) (the sum of those of all inputs), max, min, ceil(a, b)
// (division rounded up), floor(a*b), round(a*b), divisible(a*b) (a product of fractions, rounded down, to the nearest, or to
// a multiple of 8 as torchvision does) and comparisons, which are 0 or 1; mode == "sum" compares a word; letters() is the
// product of the sizes of an equation's letters, summed() of those that its result lacks. Division is whole.
func TestPrintedFormulasEqualTheCode(t *testing.T) {
	for _, typ := range Types() {
		for _, e := range typ.Examples {
			if e.Err != "" {
				continue
			}
			c, r := e.run(t, typ)
			if r.Err != nil {
				continue // TestEveryExampleHolds reports it
			}
			for formula, want := range map[string]int64{typ.WeightFormula: r.Count, typ.FLOPsFormula: r.FLOPs} {
				if formula == "" {
					continue
				}
				if got, err := evaluateFormula(formula, c); err != nil || got != want {
					t.Errorf("%s %s %s: the formula %s gives %d, the code %d (%v)", typ.ID, e.In, e.Args, formula, got, want, err)
				}
			}
		}
	}
}

func evaluateFormula(text string, c *Call) (n int64, err error) {
	expr, err := parser.ParseExpr(text)
	if err != nil {
		return 0, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return formula{c}.eval(expr), nil
}

type formula struct{ c *Call }

func (f formula) eval(e ast.Expr) int64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseInt(e.Value, 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	case *ast.ParenExpr:
		return f.eval(e.X)
	case *ast.UnaryExpr:
		return -f.eval(e.X)
	case *ast.BinaryExpr:
		if word, ok := e.Y.(*ast.BasicLit); ok && word.Kind == token.STRING { // kind == "layer"
			if strconv.Quote(f.c.Str(e.X.(*ast.Ident).Name)) == word.Value {
				return 1
			}
			return 0
		}
		return operate(e.Op, f.eval(e.X), f.eval(e.Y))
	case *ast.IndexExpr:
		list, i := f.list(e.X), f.eval(e.Index)
		if i < 0 {
			i += int64(len(list))
		}
		return list[i]
	case *ast.CallExpr:
		return f.call(e)
	case *ast.Ident:
		v := f.c.arg(e.Name)
		if v.Kind() == graph.Int {
			return v.Int()
		}
		if f.c.Bool(e.Name) {
			return 1
		}
		return 0
	}
	panic(fmt.Sprintf("formula: %T", e))
}

func operate(op token.Token, a, b int64) int64 {
	truth := func(t bool) int64 {
		if t {
			return 1
		}
		return 0
	}
	switch op {
	case token.ADD:
		return a + b
	case token.SUB:
		return a - b
	case token.MUL:
		return a * b
	case token.QUO:
		return a / b
	case token.REM:
		return a % b
	case token.EQL:
		return truth(a == b)
	case token.NEQ:
		return truth(a != b)
	case token.LSS:
		return truth(a < b)
	case token.GTR:
		return truth(a > b)
	}
	panic("formula: " + op.String())
}

// list returns a shape, or a list parameter; a single integer of Dims stands for every axis.
func (f formula) list(e ast.Expr) []int64 {
	if call, ok := e.(*ast.CallExpr); ok && call.Fun.(*ast.Ident).Name == "in" {
		return f.c.In[f.eval(call.Args[0])]
	}
	switch name := e.(*ast.Ident).Name; name {
	case "in":
		return f.c.In[0]
	case "in2":
		return f.c.In[1]
	case "out":
		return f.c.Out
	default:
		if p := f.c.Type.Param(name); p.Kind == Dims {
			d := f.c.Dims(name)
			return d[:p.N]
		}
		return f.c.Ints(name)
	}
}

func (f formula) call(e *ast.CallExpr) int64 {
	name := e.Fun.(*ast.Ident).Name
	switch name {
	case "size", "rank", "sum", "pairs", "inputs":
		if name == "inputs" {
			return int64(len(f.c.In))
		}
		list := f.list(e.Args[0])
		if name == "rank" {
			return int64(len(list))
		}
		if name == "sum" {
			s := int64(0)
			for _, n := range list {
				s += n
			}
			return s
		}
		if name == "pairs" {
			s := int64(0)
			for i := range list[1:] {
				s += list[i] * list[i+1]
			}
			return s
		}
		if len(e.Args) == 2 {
			list = list[f.eval(e.Args[1]):]
		}
		return Shape(list).Size()
	}
	switch name {
	case "letters", "summed":
		return f.letters(name == "summed")
	case "floor":
		return int64(math.Floor(f.fraction(e.Args[0])))
	case "round":
		return int64(math.RoundToEven(f.fraction(e.Args[0])))
	case "divisible":
		return int64(makeDivisible(f.fraction(e.Args[0])))
	case "sizes":
		return f.sizes(f.eval(e.Args[0]))
	}
	a, b := f.eval(e.Args[0]), f.eval(e.Args[1])
	switch name {
	case "max":
		return max(a, b)
	case "min":
		return min(a, b)
	case "ceil":
		return (a + b - 1) / b
	}
	panic("formula: " + name)
}

// sizes adds up the products of the axes of every input from one on.
func (f formula) sizes(from int64) int64 {
	s := int64(0)
	for _, in := range f.c.In {
		s += in[from:].Size()
	}
	return s
}

func (f formula) letters(summed bool) int64 {
	left, right, _ := strings.Cut(f.c.Str("equation"), "->")
	sizes := map[rune]int64{}
	for i, operand := range strings.Split(left, ",") {
		for axis, letter := range operand[1:] {
			sizes[letter] = max(sizes[letter], f.c.In[i][axis])
		}
	}
	n := int64(1)
	for letter, size := range sizes {
		if !summed || !strings.ContainsRune(right, letter) {
			n *= size
		}
	}
	return n
}

// fraction evaluates a product in which parameters may be fractions.
func (f formula) fraction(e ast.Expr) float64 {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.MUL {
			return f.fraction(e.X) * f.fraction(e.Y)
		}
	case *ast.Ident:
		if p := f.c.Type.Param(e.Name); p != nil && p.Kind == Float {
			return f.c.Float(e.Name)
		}
	}
	return float64(f.eval(e))
}
