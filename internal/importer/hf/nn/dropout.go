package nn

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/transformers"
)

// AttentionVariants says how attention treats its scores.
func AttentionVariants(b *build.Build, n build.Node, a Attention) {
	build.Written(b, n, func(m *transformers.Attention) { m.Clamped, m.Scaled = a.Clamped, a.Scaled })
}

// Moved is a part that no type describes, which only moves or sums its input.
func Moved(b *build.Build, x build.Node, name string, shape ...int64) build.Node {
	n := b.Add("customModule", name, build.Args{build.Ints("outShape", shape...), build.Int("numParams", 0),
		build.Int("flops", 0)}, x)
	b.As(n, transformers.Opaque{Linear: true})
	return n
}
