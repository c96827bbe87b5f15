package hf

var _ = define(Family{Type: "longt5", Default: "LongT5ForConditionalGeneration", Classes: t5Classes("LongT5", longT5)})

// longT5 is T5 whose encoder sees a window around each position and, where it is transient-global, the sums of blocks of the
// text. The graph counts the scores outside of the window, too.
func longT5(b *Build) T5 {
	switch kind := b.Str("encoder_attention_type"); kind {
	case "local":
		return T5{Attend: func(b *Build, x Node, bias *Node, first bool) Node {
			a := b.Scope("LocalSelfAttention")
			if first {
				*bias = a.distances(x, encoder, b.Length(b.MaxPositions()))
			}
			return a.t5Attend(x, x, false, *bias)
		}}
	case "transient-global":
		return T5{Attend: (*Build).transientGlobal}
	default:
		fail(CodeConfig, b.at("encoder_attention_type"), "is %q but takes local or transient-global", kind)
		return T5{}
	}
}

// transientGlobal lets every position see the sums of all blocks, too, through the same maps and a table of distances of their own.
func (b *Build) transientGlobal(x Node, bias *Node, first bool) Node {
	a, dim, heads, length := b.Scope("TransientGlobalSelfAttention"), b.Size("d_model"), b.Size("num_heads"), b.Length(b.MaxPositions())
	block := min(b.Size("global_block_size"), length)
	blocks := length / block
	if first {
		side := a.bucketed(x, "global_relative_attention_bias", encoder, length, blocks)
		*bias = a.Add("concatenate", "", Args{Int("dim", 3)}, a.distances(x, encoder, length), side)
	}
	inner := heads * b.Size("d_kv")
	q, k, v := a.Linear(x, "q", dim, inner, false), a.Linear(x, "k", dim, inner, false), a.Linear(x, "v", dim, inner, false)
	sums := a.Add("unflatten", "", Args{Int("dim", 1), Ints("unflattenedSize", blocks, block)}, a.Span(x, 0, blocks*block))
	sums = a.RMSNorm(a.Add("sum", "", Args{Int("dim", 2)}, sums), "global_input_layer_norm", dim)
	k, v = a.Join(k, a.Again().Linear(sums, "k", dim, inner, false)), a.Join(v, a.Again().Linear(sums, "v", dim, inner, false))
	return a.Linear(a.Core(q, k, v, heads, heads, false, *bias), "o", inner, dim, false)
}
