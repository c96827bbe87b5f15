package estimate

import "github.com/modelverifier/verifier/internal/infer"

// autocasts reports whether products run in 16 bits over 32-bit weights.
func autocasts(precision string) bool { return precision == "amp" || precision == "fp16" }

// multiplies reports whether a component is made of products, which autocast runs in 16 bits.
func multiplies(n *infer.Node) bool { return n.FLOPs > 0 }
