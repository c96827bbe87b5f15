package catalog

import (
	"fmt"
	"math"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Result is what a call came to. Shape is nil where it is unknown; Err is nil where the component runs.
type Result struct {
	Out      Shape
	OutIsInt bool
	Weights  []Weight
	Count    int64 // trained parameters
	FLOPs    int64
	Args     []graph.Value // completed: given, default, derived, taken from the input
	Err      *Refusal

	LacksWeights, LacksFLOPs bool // what a module of the caller's own does not declare
}

// Bind fills args, one value for each parameter, from the parameters that were given, and from the defaults. The first
// value that is not of its parameter's kind or range is refused.
func (t *Type) Bind(given []graph.Param, args []graph.Value) *Refusal {
	for i := range t.Params {
		args[i] = t.Params[i].value
	}
	var refused *Refusal
	for g := range given {
		v := given[g].Value
		for i := range t.Params {
			p := &t.Params[i]
			if p.Name != given[g].Name {
				continue
			}
			if v.Kind() == graph.Null && !p.NotNull {
				break
			}
			if !p.Check(v) {
				if refused == nil {
					refused = p.refuse(v)
				}
				break
			}
			args[i] = v
			if p.Breaks != "" && v.Str() != "" && refused == nil {
				refused = &Refusal{Rule: p.Breaks, Message: v.Str()}
			}
			break
		}
	}
	return refused
}

func (p *Param) refuse(v graph.Value) *Refusal {
	r := &Refusal{Rule: BadParam, Message: quantity.Sprintf("%s is %s but takes %s", p.Name, v, quantity.Own(p.Takes()))}
	if f := v.Float(); v.Kind() == graph.Float && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		if whole := graph.IntValue(int64(f)); p.Check(whole) {
			r.Set(p.Name, whole)
		}
	}
	return r
}

// CheckParams finds what is wrong with a call whatever arrives: the number of inputs, and parameters that are missing. It is
// for components whose input shapes are unknown; nothing is taken from the input.
func (c *Call) CheckParams() *Refusal {
	err := c.checkInputs()
	if err == nil {
		blind := Call{Type: c.Type, Args: c.Args}
		err = blind.complete()
	}
	if err == nil {
		return nil
	}
	return c.refuse(nil, err).Err
}

// Apply runs a call whose arguments are bound: it completes them from the input, and infers shape, weights and FLOPs.
// In has the shapes that arrive; every one must be known.
func (c *Call) Apply() Result {
	if err := c.checkInputs(); err != nil {
		return c.refuse(nil, err)
	}
	if err := c.complete(); err != nil {
		return c.refuse(nil, err)
	}
	if err := c.checkInts(); err != nil {
		return c.refuse(nil, err)
	}
	out, err := c.Type.Shape(c)
	if err != nil {
		return c.refuse(out, err)
	}
	if len(out) > MaxAxes {
		return c.refuse(nil, c.Errorf(RankMismatch, "gives a tensor of %d axes; of more than %d, the most that PyTorch reduces, nothing is judged", len(out), MaxAxes))
	}
	for _, n := range out {
		if n < 1 {
			return c.refuse(nil, c.Errorf(EmptyOutput, "the result %v has an axis without elements", out))
		}
	}
	c.Out = out // nil if not refused and not known: a module that declares no shape may still declare weights
	return c.measure()
}

func (c *Call) refuse(certain Shape, err error) Result {
	r, ok := err.(*Refusal)
	if !ok {
		panic("catalog: " + c.Type.ID + " refused with a foreign error: " + err.Error())
	}
	for _, n := range certain {
		if n < 1 {
			certain = nil
			break
		}
	}
	if len(certain) > MaxAxes || certain.Size() < 0 {
		certain = nil
	}
	return Result{Out: certain, OutIsInt: c.OutIsInt, Err: r}
}

func (c *Call) checkInputs() error {
	n, takes := len(c.In), c.Type.Inputs
	if n >= takes.Min && n <= takes.Max {
		return nil
	}
	rule := TooManyInputs
	if n < takes.Min {
		rule = MissingInput
	}
	return c.Errorf(rule, "takes %s, got %d", takes, n)
}

func (a Arity) String() string {
	switch {
	case a.Max == 0:
		return "no input"
	case a.Max == Any:
		return fmt.Sprintf("%d or more inputs", a.Min)
	case a.Min == 1 && a.Max == 1:
		return "one input"
	case a.Min == a.Max:
		return fmt.Sprintf("%d inputs", a.Min)
	}
	return fmt.Sprintf("%d to %d inputs", a.Min, a.Max)
}

// complete takes lazy parameters from the input, derives those that follow from others, and refuses what is still missing.
func (c *Call) complete() error {
	var missing *Param
	for i := range c.Type.Params {
		p := &c.Type.Params[i]
		if c.Args[i].Kind() != graph.Null || p.Optional {
			continue
		}
		switch {
		case p.Lazy:
			if axis, ok := c.readable(p); ok {
				c.Args[i] = graph.IntValue(c.In[0][axis])
			}
		case p.Derive != nil:
			if missing == nil {
				if n := p.Derive(c); n >= 0 {
					c.Args[i] = graph.IntValue(n)
				}
			}
		case missing == nil && (p.Unless == "" || !c.Has(p.Unless)):
			missing = p
		}
	}
	if missing == nil {
		return nil
	}
	rule := MissingParam
	if missing.Missing != "" {
		rule = missing.Missing
	}
	r := c.Errorf(rule, "%s is missing: %s", missing.Name, missing.Doc)
	if axis, ok := c.readable(missing); ok {
		r.SetInt(missing.Name, c.In[0][axis])
	}
	return r
}

func (c *Call) readable(p *Param) (int, bool) {
	if len(c.In) == 0 {
		return 0, false
	}
	return p.Reads.In(len(c.In[0]))
}

// checkInts refuses integer tensors where floats are needed and the other way round, and tells the type of the result.
func (c *Call) checkInts() error {
	all := len(c.In) > 0
	for i := range c.In {
		index := false
		for _, j := range c.Type.Indices {
			index = index || i == j
		}
		switch isInt := i < len(c.InIsInt) && c.InIsInt[i]; {
		case index && !isInt:
			return c.Errorf(DtypeMismatch, "input %d must be token ids or indices, but numbers with a fraction arrive", i)
		case index:
		case isInt && c.Type.Ints == IntsRefused:
			return c.Errorf(DtypeMismatch, "takes numbers with a fraction, but token ids or indices arrive")
		default:
			all = all && isInt
		}
	}
	c.OutIsInt = c.Type.Ints == IntsMade || c.Type.Ints == IntsKept && all
	return nil
}

// measure counts what a legal call costs.
func (c *Call) measure() Result {
	r := Result{Out: c.Out, OutIsInt: c.OutIsInt}
	c.Size(c.Out)
	if c.Type.Weights != nil {
		c.Type.Weights(c)
		for _, w := range c.declared.weights.Open() {
			r.Count = c.Add(r.Count, c.Mul(w.Times, c.Size(w.Shape)))
		}
	}
	if c.overflow {
		return c.refuse(nil, c.Errorf(SizeOverflow, "its size does not fit in 64 bits"))
	}
	if c.Type.FLOPs != nil {
		r.FLOPs = c.Type.FLOPs(c)
	}
	if c.overflow { // PyTorch computes it, however long that takes: the count alone is not known
		r.FLOPs, c.lacksFLOPs = 0, true
	}
	r.LacksWeights, r.LacksFLOPs = c.lacksWeights, c.lacksFLOPs
	r.Args, r.Weights = c.Args, c.declared.weights.Take()
	return r
}

// Evaluate binds the parameters that were given and applies the type to the shapes that arrive.
func (t *Type) Evaluate(given []graph.Param, in []Shape, isInt []bool) Result {
	var c Call
	c.Begin(t, make([]graph.Value, len(t.Params)), &Declared{})
	c.In, c.InIsInt = in, isInt
	if err := t.Bind(given, c.Args); err != nil {
		return c.refuse(nil, err)
	}
	return c.Apply()
}
