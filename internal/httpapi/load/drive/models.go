package drive

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// Decoder is a language model of n blocks of six components, and five more.
func Decoder(n int) string {
	nodes, edges := &strings.Builder{}, &strings.Builder{}
	fmt.Fprint(nodes, "x: input shape=[2048]\ntokens: embedding numEmbeddings=32000 embeddingDim=512\n")
	fmt.Fprint(edges, "x -> tokens\n")
	last := "tokens"
	for i := range n {
		fmt.Fprintf(nodes, "n%d: rmsNorm normalizedShape=512\na%d: ropeAttention embedDim=512 numHeads=8 numKVHeads=2\ns%d: add\n", i, i, i)
		fmt.Fprintf(nodes, "m%d: rmsNorm normalizedShape=512\ng%d: swiglu embedDim=512 intermediateSize=1376\nt%d: add\n", i, i, i)
		fmt.Fprintf(edges, "%s -> n%d -> a%d -> s%d -> m%d -> g%d -> t%d\n%s -> s%d\ns%d -> t%d\n", last, i, i, i, i, i, i, last, i, i, i)
		last = fmt.Sprintf("t%d", i)
	}
	fmt.Fprint(nodes, "norm: rmsNorm normalizedShape=512\nhead: lmHead inFeatures=512 outFeatures=32000 bias=false\no: output\n")
	fmt.Fprintf(edges, "%s -> norm -> head -> o\n", last)
	return nodes.String() + edges.String()
}

// Residual is a convolutional network with n components, seven to a block.
func Residual(n int) string {
	nodes, edges := &strings.Builder{}, &strings.Builder{}
	fmt.Fprint(nodes, "x: input shape=[3,32,32]\nstem: conv2d inChannels=3 outChannels=64 kernelSize=3 padding=1\n")
	fmt.Fprint(edges, "x -> stem\n")
	last, count := "stem", 2
	for i := 0; count < n-10; i, count = i+1, count+7 {
		fmt.Fprintf(nodes, "a%d: conv2d inChannels=64 outChannels=64 kernelSize=3 padding=1 bias=false\nb%d: batchNorm numFeatures=64\nc%d: relu\n", i, i, i)
		fmt.Fprintf(nodes, "d%d: conv2d inChannels=64 outChannels=64 kernelSize=3 padding=1 bias=false\ne%d: batchNorm numFeatures=64\nf%d: add\ng%d: relu\n", i, i, i, i)
		fmt.Fprintf(edges, "%s -> a%d -> b%d -> c%d -> d%d -> e%d -> f%d -> g%d\n%s -> f%d\n", last, i, i, i, i, i, i, i, last, i)
		last = fmt.Sprintf("g%d", i)
	}
	for ; count < n-3; count++ {
		fmt.Fprintf(nodes, "z%d: identity\n", count)
		fmt.Fprintf(edges, "%s -> z%d\n", last, count)
		last = fmt.Sprintf("z%d", count)
	}
	fmt.Fprint(nodes, "pool: globalAvgPool2d\nhead: linear inFeatures=64 outFeatures=10\no: output\n")
	fmt.Fprintf(edges, "%s -> pool -> head -> o\n", last)
	return nodes.String() + edges.String()
}

// Request is the body for a model in the short notation.
func Request(notation string) ([]byte, error) {
	g, err := graph.Parse(notation)
	if err != nil {
		return nil, err
	}
	return append(g.AppendJSON([]byte(`{"model":`)), '}'), nil
}

// Small is an image network of 10 components.
const Small = `x: input shape=[1,28,28]
c1: conv2d inChannels=1 outChannels=32 kernelSize=3 padding=1
r1: relu
p1: maxpool2d kernelSize=2
c2: conv2d inChannels=32 outChannels=64 kernelSize=3 padding=1
r2: relu
p2: maxpool2d kernelSize=2
f: flatten
l: linear inFeatures=3136 outFeatures=10
o: output
x -> c1 -> r1 -> p1 -> c2 -> r2 -> p2 -> f -> l -> o
`
