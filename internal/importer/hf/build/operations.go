package build

// Flat joins the heads of a sequence.
func (b *Build) Flat(x Node) Node { return b.Add("flatten", "", Args{Int("startDim", 2)}, x) }

// Unflatten splits the last axis of a sequence into heads.
func (b *Build) Unflatten(x Node, heads, headDim int64) Node {
	return b.Add("unflatten", "", Args{Int("dim", 2), Ints("unflattenedSize", heads, headDim)}, x)
}

// Slice is a range of the last axis.
func (b *Build) Slice(x Node, start, end int64) Node {
	return b.Add("slice", "", Args{Int("dim", -1), Int("start", start), Int("end", end)}, x)
}

// Core is attention without weights over (sequence, heads*features). A bias, where given, is added to the scores.
func (b *Build) Core(q, k, v Node, heads, kv int64, causal bool, bias ...Node) Node {
	args := Args{Int("numHeads", heads)}
	if kv != heads {
		args = append(args, Int("numKVHeads", kv))
	}
	if causal {
		args = append(args, Flag("causal", true))
	}
	return b.Add("attentionCore", "", args, append([]Node{q, k, v}, bias...)...)
}

// Swap exchanges the two axes of a sequence: channels first becomes features last, and back.
func (b *Build) Swap(x Node) Node {
	return b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x)
}

// Span is a range of positions.
func (b *Build) Span(x Node, start, end int64) Node {
	return b.Add("slice", "", Args{Int("dim", 1), Int("start", start), Int("end", end)}, x)
}

// Join puts sequences behind each other.
func (b *Build) Join(x ...Node) Node { return b.Add("concatenate", "", Args{Int("dim", 1)}, x...) }

// Chunk is one of equal pieces of the last axis.
func (b *Build) Chunk(x Node, pieces, index int64) Node {
	return b.Add("chunk", "", Args{Int("chunks", pieces), Int("dim", -1), Int("index", index)}, x)
}

// Reshape gives the same elements another shape.
func (b *Build) Reshape(x Node, shape ...int64) Node {
	return b.Add("reshape", "", Args{Ints("shape", shape...)}, x)
}

// Mean is the mean over an axis, counting the batch.
func (b *Build) Mean(x Node, name string, dim int64) Node {
	return b.Add("mean", name, Args{Int("dim", dim)}, x)
}

// First is the first position of a sequence.
func (b *Build) First(x Node) Node { return b.Add("select", "", Args{Int("index", 0)}, x) }
