package families

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
)

var _ = family.Define(family.Family{Type: "siglip2", Default: "Siglip2Model",
	Classes: siglips("Siglip2", "siglip2", siglip2Patches)})

// siglip2Patches takes images that are cut into patches already, as many as there are positions: then the square
// table of positions is used as it is. A table that is no square does not run.
func siglip2Patches(b *Build) Node {
	dim, count, patch := b.Size("hidden_size"), b.Size("num_patches"), b.Size("patch_size")
	pixels := b.Size("num_channels") * patch * patch
	in := b.Root().Input("pixel_values", count, pixels)
	x := b.Linear(in, "patch_embedding", pixels, dim, true)
	n := b.Add("parameter", "position_embedding", Args{build.Ints("shape", count, dim)}, in)
	b.Tensor("position_embedding.weight", count, dim)
	side := int64(math.Sqrt(float64(count)))
	return b.Residual(x, b.Reshape(b.Reshape(n, side, side, dim), count, dim))
}
