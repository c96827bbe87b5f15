package build

// inner is a model inside another: what is done with its embedded text, and what it gives.
type inner struct {
	mix        func(x Node) Node
	table, out Node
}

// Inside builds a model as a part of this one. mix gets its embedded text and returns what its layers read. It
// returns what the part gives, its table of tokens, and whether it handed its text to mix.
func (b *Build) Inside(mix func(x Node) Node, model func()) (x, table Node, mixed bool) {
	outer, part := b.state.inner, &inner{mix: mix}
	b.state.inner = part
	model()
	b.state.inner = outer
	return part.out, part.table, part.mix == nil
}

// MixIn is the embedded text, into which the outer model may have inserted embeddings of other inputs.
func (b *Build) MixIn(x Node) Node {
	part := b.state.inner
	if part == nil || part.mix == nil {
		return x
	}
	mix := part.mix
	part.table, part.mix = x, nil
	return mix(x)
}
