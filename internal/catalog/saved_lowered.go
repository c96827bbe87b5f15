package catalog

import "github.com/modelverifier/verifier/internal/op"

// savedAsLowered declares what autograd saves of the operations that the type lowers to, so that no second statement of it has to agree.
func savedAsLowered(c *Call) {
	p := &op.Program{}
	l := Lowering{P: p}
	l.Begin(c.Type, Call{Type: c.Type, Args: c.Args, In: c.In, InIsInt: c.InIsInt, Out: c.Out, OutIsInt: c.OutIsInt}, c.declared.weights.Open())
	if p.Out = c.Type.Lower(&l); p.Out == op.None { // of too many parts
		return
	}
	two, three := p.Keeps(2), p.Keeps(3)
	for i, saved := range two.In {
		if saved {
			c.KeepInput(i)
		}
	}
	if two.Out {
		c.KeepOutput()
	}
	each := three.New - two.New
	c.keepBytes("saved of each sample", each, false)
	c.keepBytes("saved of all", two.New-2*each, true)
}

// keepBytes declares so many bytes of 32-bit floats, and of what is left over.
func (c *Call) keepBytes(name string, bytes int64, fixed bool) {
	for _, part := range [...]Kept{{Name: name, Elems: bytes / 4}, {Name: name + ", as bytes", Elems: bytes % 4, As: AsBytes}} {
		if part.Fixed = fixed; part.Elems > 0 {
			c.declared.kept.Push(part)
		}
	}
}
