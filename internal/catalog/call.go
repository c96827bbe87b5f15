package catalog

import (
	"math"
	"strings"

	"github.com/modelverifier/verifier/internal/arena"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Call is one use of a type: its arguments and the shapes that arrive, and what was found out about it.
type Call struct {
	Type    *Type
	Args    []graph.Value // one for each parameter of the type; null where it has no value
	In      []Shape
	InIsInt []bool // whether each input is an integer tensor

	Out      Shape
	OutIsInt bool

	overflow bool
	declared *Declared

	unknown      []bool // of a call without inputs: the parameters that have no value
	lacksWeights bool
	lacksFLOPs   bool
}

// Declared holds what calls declare. The calls of one walk share one, so that a large graph does not cost an allocation for
// every tensor; the zero value is ready.
type Declared struct {
	weights arena.Of[Weight]
	dims    arena.Of[int64]
}

// Clear takes back what was declared, and leaves nothing of it.
func (d *Declared) Clear() {
	d.weights.Clear()
	d.dims.Clear()
}

// Begin prepares the call for a component, and lets go of everything that it knew of the last one.
func (c *Call) Begin(t *Type, args []graph.Value, into *Declared) {
	into.weights.Take()
	*c = Call{Type: t, Args: args, declared: into}
}

// Weight is a trained tensor, or Times equal ones.
type Weight struct {
	Module string // the part of a block that it belongs to; empty for the component itself
	Name   string
	Shape  Shape
	Times  int64
}

// Path is the name of the weight in the state_dict of the component's module.
func (w *Weight) Path() string {
	if w.Module == "" {
		return w.Name
	}
	return w.Module + "." + w.Name
}

// is reports whether the weight has a path: that of a name in a module, which may be empty.
func (w *Weight) is(module, name string) bool {
	if len(w.Module)+len(w.Name) != len(module)+len(name) && (w.Module == "") == (module == "") {
		return false
	}
	switch {
	case w.Module == module:
		return w.Name == name
	case len(w.Module) > len(module):
		return joins(w.Module, w.Name, module, name)
	}
	return joins(module, name, w.Module, w.Name)
}

// joins reports whether a name in a module has the path of another in a shorter module: what that lacks of the module stands in front of its name.
func joins(module, name, shorter, rest string) bool {
	if shorter != "" {
		if !strings.HasPrefix(module, shorter) || module[len(shorter)] != '.' {
			return false
		}
		module = module[len(shorter)+1:]
	}
	return len(rest) == len(module)+1+len(name) && strings.HasPrefix(rest, module) && rest[len(module)] == '.' && strings.HasSuffix(rest, name)
}

func (c *Call) arg(name string) graph.Value {
	for i := range c.Type.Params {
		if c.Type.Params[i].Name != name {
			continue
		}
		if c.unknown != nil && c.unknown[i] {
			c.lacksWeights = true
			return graph.IntValue(1) // any value that can be divided by: nothing that follows from it is used
		}
		return c.Args[i]
	}
	panic("catalog: " + c.Type.ID + " reads " + name + ", which it does not declare")
}

// Has reports whether a parameter has a value.
func (c *Call) Has(name string) bool { return c.arg(name).Kind() != graph.Null }

// Int returns an integer parameter, where true is 1.
func (c *Call) Int(name string) int64 {
	v := c.arg(name)
	if v.Bool() {
		return 1
	}
	return v.Int()
}

// Float returns a number parameter, where true is 1.
func (c *Call) Float(name string) float64 {
	v := c.arg(name)
	if v.Bool() {
		return 1
	}
	return v.Float()
}

// Bool returns whether Python would take the parameter for true.
func (c *Call) Bool(name string) bool {
	v := c.arg(name)
	switch v.Kind() {
	case graph.Bool:
		return v.Bool()
	case graph.Int, graph.Float:
		return v.Float() != 0
	case graph.String:
		return v.Str() != ""
	}
	return len(v.List()) > 0
}

// Str returns a word, empty for a parameter that has no value or is not a string.
func (c *Call) Str(name string) string { return c.arg(name).Str() }

// Dims returns a parameter with one integer for each of up to three spatial axes; a single integer, or a list of one,
// stands for all. Where the list has null the result has 0.
func (c *Call) Dims(name string) [3]int64 {
	v := c.arg(name)
	if len(v.List()) == 1 {
		v = v.List()[0]
	}
	if v.Kind() == graph.Int {
		n := v.Int()
		return [3]int64{n, n, n}
	}
	var out [3]int64
	for i, x := range v.List() {
		if i < len(out) {
			out[i] = x.Int()
		}
	}
	return out
}

// Ints returns a parameter that is an integer or a list of them as a list.
func (c *Call) Ints(name string) []int64 {
	v := c.arg(name)
	if v.Kind() == graph.Int {
		return []int64{v.Int()}
	}
	out := make([]int64, len(v.List()))
	for i, x := range v.List() {
		out[i] = x.Int()
	}
	return out
}

// Floats returns a parameter that is a number or a list of them as a list.
func (c *Call) Floats(name string) []float64 {
	v := c.arg(name)
	if v.Kind() != graph.List {
		return []float64{v.Float()}
	}
	out := make([]float64, len(v.List()))
	for i, x := range v.List() {
		out[i] = x.Float()
	}
	return out
}

// IsList reports whether a parameter was given as a list.
func (c *Call) IsList(name string) bool { return c.arg(name).Kind() == graph.List }

// Axis returns the position, in a shape without the batch, of an axis that counts the batch as axis 0, as PyTorch does.
// rank is the rank without the batch. The batch itself is position -1.
func (c *Call) Axis(name string, axis int64, rank int) (int, error) {
	n := int64(rank + 1)
	if axis < -n || axis >= n {
		return 0, c.Errorf(AxisOutOfRange, "%s is %d but must be from %d to %d for %d axes with the batch", name, axis, -n, n-1, n)
	}
	if axis < 0 {
		axis += n
	}
	return int(axis) - 1, nil
}

// SampleAxis is Axis, and refuses the batch.
func (c *Call) SampleAxis(name string, axis int64, rank int) (int, error) {
	i, err := c.Axis(name, axis, rank)
	if err == nil && i < 0 {
		return 0, c.Errorf(BatchAxis, "%s names the batch, which every component must keep", name)
	}
	return i, err
}

// Mul multiplies counts. A product that does not fit makes the call a size-overflow.
func (c *Call) Mul(counts ...int64) int64 {
	n, ok := quantity.Mul(counts...)
	if !ok {
		c.overflow = true
		return math.MaxInt64
	}
	return n
}

// Add adds counts, like Mul.
func (c *Call) Add(counts ...int64) int64 {
	n, ok := quantity.Add(counts...)
	if !ok {
		c.overflow = true
		return math.MaxInt64
	}
	return n
}

// Size is the number of elements of a shape, like Mul.
func (c *Call) Size(s Shape) int64 { return c.Mul(s...) }

// Weight declares a trained tensor.
func (c *Call) Weight(name string, dims ...int64) { c.WeightTimes(1, name, dims...) }

// WeightTimes declares equal trained tensors, such as those of the experts.
func (c *Call) WeightTimes(times int64, name string, dims ...int64) {
	c.weight(times, "", name, dims...)
}

func (c *Call) weight(times int64, module, name string, dims ...int64) {
	d := c.declared
	d.dims.PushAll(dims)
	d.weights.Push(Weight{module, name, Of(d.dims.Take()...), times})
}

// Linear declares the weight and, if there is one, the bias of a linear layer.
func (c *Call) Linear(name string, in, out int64, bias bool) { c.LinearTimes(1, name, in, out, bias) }

// LinearTimes declares equal linear layers.
func (c *Call) LinearTimes(times int64, name string, in, out int64, bias bool) {
	c.weight(times, name, "weight", out, in)
	if bias {
		c.weight(times, name, "bias", out)
	}
}

// MatMul counts a matrix product of [m,k] and [k,n], done times times.
func (c *Call) MatMul(times, m, k, n int64) int64 { return c.Mul(2, times, m, k, n) }

// join names a part of a part.
func join(name, part string) string {
	if name == "" {
		return part
	}
	return name + "." + part
}
