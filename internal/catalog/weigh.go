package catalog

import (
	"github.com/modelverifier/verifier/internal/graph"
)

// Weigh declares the weights that follow from the parameters of a component alone, for one that does not run or whose inputs are
// not known: a module in PyTorch has its weights before anything is called. ok is false where the parameters do not decide them: a
// value is missing or refused, is one that a lazy module takes from its input, or the sizes do not divide as the constructor asks.
func (t *Type) Weigh(given []graph.Param, into *Declared) (weights []Weight, count int64, ok bool) {
	if t.Weights == nil {
		return nil, 0, true
	}
	var c Call
	c.Begin(t, make([]graph.Value, len(t.Params)), into)
	c.unknown = make([]bool, len(t.Params))
	_ = t.Bind(given, c.Args) // what cannot be bound is unknown, which is told below
	for g := range given {
		if i := t.position(given[g].Name); i >= 0 && given[g].Value.Kind() != graph.Null && !t.Params[i].Check(given[g].Value) {
			c.unknown[i] = true
		}
	}
	c.derive()
	c.lacksWeights = false
	t.Weights(&c)
	for _, w := range into.weights.Open() {
		for _, n := range w.Shape {
			c.lacksWeights = c.lacksWeights || n < 0
		}
		if c.lacksWeights {
			break
		}
		count = c.Add(count, c.Mul(w.Times, c.Size(w.Shape)))
	}
	weights = into.weights.Take()
	if c.lacksWeights || c.overflow {
		return nil, 0, false
	}
	return weights, count, true
}

// derive completes the arguments of a call without inputs, and marks those that stay unknown.
func (c *Call) derive() {
	for i := range c.Type.Params {
		p := &c.Type.Params[i]
		if c.Args[i].Kind() != graph.Null || p.Optional {
			continue
		}
		n := int64(-1)
		if p.Derive != nil {
			c.lacksWeights = false
			n = p.Derive(c)
		}
		if n < 0 || c.lacksWeights {
			c.unknown[i] = true
			continue
		}
		c.Args[i] = graph.IntValue(n)
	}
}

func (t *Type) position(param string) int {
	for i := range t.Params {
		if t.Params[i].Name == param {
			return i
		}
	}
	return -1
}

// LacksWeights says that the weights of the call cannot be told from what it has.
func (c *Call) LacksWeights() { c.lacksWeights = true }

// Features returns the size of an axis of an input, for weights that are made to fit what arrives.
func (c *Call) Features(input, axis int) int64 {
	if input >= len(c.In) || axis >= len(c.In[input]) {
		c.LacksWeights()
		return 1
	}
	return c.In[input][axis]
}

// Part divides a size into equal parts. What does not divide has no such part: PyTorch's constructor refuses it.
func (c *Call) Part(size, parts int64) int64 {
	if parts < 1 || size%parts != 0 {
		c.LacksWeights()
		return 1
	}
	return size / parts
}

// Quotient divides sizes and drops the rest, as Python's // does.
func (c *Call) Quotient(size, by int64) int64 {
	if by == 0 {
		c.LacksWeights()
		return 1
	}
	return size / by
}
