package torch

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Where nobody says which shapes a model takes, its own file often does: a call of the model with a random tensor, an example input
// of a trainer, or the documentation of forward. What is taken from there is said with its line.

// guess looks for the inputs of a model in its file, and says where they were found.
func (r *reader) guess(m *interp.Module, root *interp.Instance) ([]Input, string) {
	g := &guesser{class: root.Class.Name, makers: map[string]bool{root.Class.Name: true}}
	if f := forwardOf(root); f != nil {
		g.takes, g.most = len(f.Required(true)), len(f.Params)-1
	}
	g.read(m.Tree())
	for _, f := range g.found {
		if len(f.inputs) >= max(1, g.takes) && len(f.inputs) <= max(1, g.most) {
			return f.inputs, fmt.Sprintf("%s:%d: %s", m.File, f.line, f.text(m.Source()))
		}
	}
	return nil, ""
}

// guesser goes through a file.
type guesser struct {
	class       string
	takes, most int             // arguments of forward, at the least and at the most
	makers      map[string]bool // what a model is made by: the class, and functions that return one
	withBatch   bool            // summary() takes shapes with the batch
	noBatch     bool            // or without
	found       []foundInput
}

type foundInput struct {
	inputs []Input
	line   int
	doc    string
}

func (f *foundInput) text(src string) string {
	if f.doc != "" {
		return f.doc
	}
	return python.Excerpt(src, f.line)
}

func (g *guesser) read(file *python.File) {
	top := &bound{}
	for _, s := range file.Body {
		switch s := s.(type) {
		case *python.ImportFrom:
			g.withBatch = g.withBatch || s.Module == "torchinfo"
			g.noBatch = g.noBatch || s.Module == "torchsummary"
		case *python.FuncDef:
			if len(s.Params) == 0 && returns(s, g.makers) {
				g.makers[s.Name] = true
			}
		}
	}
	for _, s := range file.Body {
		switch s := s.(type) {
		case *python.ClassDef:
			if s.Name == g.class {
				g.classBody(s, top)
			}
		case *python.FuncDef:
			top.inside(func() { g.block(s.Body, top) })
		default:
			g.block([]python.Stmt{s}, top)
		}
	}
}

// returns reports whether a function gives what one of the makers makes.
func returns(f *python.FuncDef, makers map[string]bool) bool {
	found := false
	python.Each(f.Body, func(node any) {
		if ret, ok := node.(*python.Return); ok {
			call, isCall := ret.X.(*python.Call)
			if !isCall {
				return
			}
			name, isName := call.Fn.(*python.Name)
			found = found || isName && makers[name.ID]
		}
	})
	return found
}

// block goes through statements in their order.
func (g *guesser) block(stmts []python.Stmt, b *bound) {
	for _, s := range stmts {
		python.Each(s, func(node any) {
			switch x := node.(type) {
			case *python.Assign:
				if len(x.Targets) == 1 {
					g.bind(x.Targets[0], x.Value, b)
				}
			case *python.Call:
				g.call(x, b)
			}
		})
	}
}

func (g *guesser) bind(target, value python.Expr, b *bound) {
	name, ok := target.(*python.Name)
	if !ok {
		return
	}
	b.tensors.drop(name.ID)
	b.models.drop(name.ID)
	b.numbers.drop(name.ID)
	if in, ok := b.tensor(value); ok {
		b.tensors.set(name.ID, in)
	} else if g.isModel(value, b) {
		b.models.set(name.ID, true)
	} else if n, ok := b.number(value); ok {
		b.numbers.set(name.ID, n)
	}
}

// isModel reports whether an expression is the model: Net(…), a name bound to it, or either behind .to(…), .eval() and the like.
func (g *guesser) isModel(x python.Expr, b *bound) bool {
	switch x := x.(type) {
	case *python.Name:
		return b.models.of[x.ID]
	case *python.Call:
		switch fn := x.Fn.(type) {
		case *python.Name:
			return g.makers[fn.ID]
		case *python.Attr:
			return slices.Contains([]string{"to", "eval", "train", "cuda", "cpu", "float", "half", "double"}, fn.Name) && g.isModel(fn.X, b)
		}
	}
	return false
}

// call looks at one call: of the model, or of a function that is given the model and its input.
func (g *guesser) call(c *python.Call, b *bound) {
	if g.isModel(c.Fn, b) {
		g.keep(c.Args, c.Line(), b)
		return
	}
	if len(c.Args) < 2 || !g.isModel(c.Args[0].Value, b) {
		return
	}
	for _, a := range c.Args {
		if a.Name == "input_size" && g.withBatch != g.noBatch {
			if sizes, ok := b.sizes(a.Value); ok {
				g.sized(sizes, c.Line())
			}
		}
	}
	if c.Args[1].Name == "" {
		g.keep(c.Args[1:2], c.Line(), b)
	}
}

func (g *guesser) sized(sizes []int64, line int) {
	if g.withBatch && len(sizes) > 0 {
		sizes = sizes[1:]
	}
	g.found = append(g.found, foundInput{inputs: []Input{{Shape: sizes}}, line: line})
}

// keep takes arguments for inputs, if each is a tensor whose sizes are all known.
func (g *guesser) keep(args []python.Arg, line int, b *bound) {
	var inputs []Input
	for _, a := range args {
		if tuple, ok := a.Value.(*python.Sequence); ok && len(args) == 1 {
			for _, item := range tuple.Items {
				args = append(args, python.Arg{Value: item})
			}
			g.keep(args[1:], line, b)
			return
		}
		in, ok := b.tensor(a.Value)
		if !ok || a.Name != "" || a.Stars > 0 {
			return
		}
		inputs = append(inputs, in)
	}
	if len(inputs) > 0 {
		g.found = append(g.found, foundInput{inputs: inputs, line: line})
	}
}

// makers of tensors that are given the sizes alone; randint and full have others before or behind them.
var tensorMakers = []string{"randn", "rand", "zeros", "ones", "empty"}

// tensor reads an expression that makes a tensor of known sizes, and leaves the batch out.
func (b *bound) tensor(x python.Expr) (Input, bool) {
	switch x := x.(type) {
	case *python.Name:
		in, ok := b.tensors.of[x.ID]
		return in, ok
	case *python.Call:
		fn, ok := x.Fn.(*python.Attr)
		if !ok {
			return Input{}, false
		}
		module, ok := fn.X.(*python.Name)
		if !ok || module.ID != "torch" {
			if slices.Contains([]string{"to", "cuda", "cpu", "float", "long", "requires_grad_"}, fn.Name) { // torch.randn(…).cuda()
				in, ok := b.tensor(fn.X)
				if fn.Name == "long" {
					in.DType = "int64"
				}
				return in, ok
			}
			return Input{}, false
		}
		return b.made(fn.Name, x.Args)
	}
	return Input{}, false
}

func (b *bound) made(fn string, args []python.Arg) (Input, bool) {
	in := Input{}
	var pos []python.Expr
	for _, a := range args {
		switch {
		case a.Stars > 0:
			return in, false
		case a.Name == "size":
			pos = append(pos, a.Value)
		case a.Name == "dtype":
			if d, ok := a.Value.(*python.Attr); ok && slices.Contains([]string{"long", "int64", "int32", "int"}, d.Name) {
				in.DType = "int64"
			}
		case a.Name == "":
			pos = append(pos, a.Value)
		}
	}
	switch {
	case fn == "randint" && len(pos) >= 2:
		in.DType = "int64"
		pos = pos[len(pos)-1:]
	case !slices.Contains(tensorMakers, fn):
		return in, false
	}
	var sizes []int64
	if len(pos) == 1 {
		if list, ok := b.sizes(pos[0]); ok {
			sizes = list
		}
	}
	if sizes == nil {
		for _, p := range pos {
			n, ok := b.number(p)
			if !ok {
				return in, false
			}
			sizes = append(sizes, n)
		}
	}
	if len(sizes) == 0 || slices.Min(sizes) < 1 {
		return in, false
	}
	in.Shape, in.Batch = sizes[1:], sizes[0]
	return in, true
}

// sizes reads a tuple or list of numbers.
func (b *bound) sizes(x python.Expr) ([]int64, bool) {
	seq, ok := x.(*python.Sequence)
	if !ok {
		return nil, false
	}
	out := []int64{}
	for _, item := range seq.Items {
		n, ok := b.number(item)
		if !ok || n < 1 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

func (b *bound) number(x python.Expr) (int64, bool) {
	switch x := x.(type) {
	case *python.Const:
		n, ok := x.Value.(int64)
		return n, ok
	case *python.Name:
		n, ok := b.numbers.of[x.ID]
		return n, ok
	}
	return 0, false
}

// classBody looks for an example input of a trainer, and then at what the class and its forward say of themselves.
func (g *guesser) classBody(c *python.ClassDef, b *bound) {
	python.Each(c.Body, func(node any) {
		a, ok := node.(*python.Assign)
		if !ok || len(a.Targets) != 1 {
			return
		}
		name := ""
		switch t := a.Targets[0].(type) {
		case *python.Attr:
			name = t.Name
		case *python.Name:
			name = t.ID
		}
		if in, ok := b.tensor(a.Value); ok && name == "example_input_array" {
			g.found = append(g.found, foundInput{inputs: []Input{in}, line: a.Line()})
		}
	})
	for _, s := range c.Body {
		if f, ok := s.(*python.FuncDef); ok && f.Name == "forward" && g.takes == 1 {
			g.document(f.Body)
		}
	}
	if g.takes == 1 {
		g.document(c.Body)
	}
}

// shapeText is a shape in a documentation: a name for the batch and nothing but numbers behind it.
var shapeText = regexp.MustCompile(`[(\[]\s*(?:[BN]|bs|batch|batch_size)((?:\s*,\s*[0-9]+)+)\s*,?\s*[)\]]`)

// document reads the text that a body begins with: the first shape in it is the input's, unless the line is about the result.
func (g *guesser) document(body []python.Stmt) {
	if len(body) == 0 {
		return
	}
	x, ok := body[0].(*python.ExprStmt)
	if !ok {
		return
	}
	c, ok := x.X.(*python.Const)
	if !ok {
		return
	}
	text, _ := c.Value.(string)
	for i, line := range strings.Split(text, "\n") {
		m := shapeText.FindStringSubmatch(line)
		lower := strings.ToLower(line)
		if m == nil || strings.Contains(lower, "return") || strings.Contains(lower, "output") {
			continue
		}
		in := Input{}
		for _, n := range strings.Split(m[1], ",")[1:] {
			size, err := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
			if err != nil || size < 1 {
				return
			}
			in.Shape = append(in.Shape, size)
		}
		if strings.Contains(lower, "token") || strings.Contains(lower, "ids") || strings.Contains(lower, "long") || strings.Contains(lower, "int64") {
			in.DType = "int64"
		}
		g.found = append(g.found, foundInput{inputs: []Input{in}, line: x.Line() + i, doc: strings.TrimSpace(line)})
		return
	}
}
