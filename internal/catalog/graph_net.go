package catalog

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

// The parameters of the graph networks.
var (
	paramNodeIn = Param{Name: "inChannels", Kind: Int, Negative: true, Reads: At(-1), Aliases: []string{"inFeatures"},
		Doc: "features of a node; taken from the input if it is not positive"}
	paramNodeOut  = Param{Name: "outChannels", Kind: Int, Writes: At(-1), Aliases: []string{"outFeatures"}, Doc: "features of a node in the result"}
	paramNodeBias = Param{Name: "bias", Kind: Bool, Default: true, Doc: "whether a bias is added"}
)

// graphShape is the shape of a layer that gives every node new features. The first input is (nodes, features), the second
// the edges, a column with the numbers of two nodes each. torch_geometric takes inChannels from the input where it is not
// positive; a plain linear layer, as inside gin, does not.
func graphShape(c *Call, out int64) (Shape, error) {
	if err := c.Ranks(2, 2, "(nodes, features)"); err != nil {
		return nil, err
	}
	shape := Of(c.In[0][0], out)
	if e := c.In[1]; e.Rank() != 2 || e[0] != 2 {
		return shape, c.Errorf(GraphEdges, "the edges must be (2, edges), got %v", e)
	}
	if c.Int("inChannels") <= 0 && c.Type.Param("inChannels").Negative {
		return shape, nil
	}
	return shape, c.Match(FeatureMismatch, "inChannels", "feature")
}

// paramAggregation is how a node sums up its neighbours.
func paramAggregation(usual string) Param {
	return Param{Name: "aggr", Kind: String, Default: usual, Aliases: []string{"aggregation"}, Doc: "how a node sums up its neighbours: " + strings.Join(aggregations, ", ")}
}

// aggregations are those of torch_geometric that need no further arguments.
var aggregations = []string{"add", "sum", "mean", "max", "min", "mul", "var", "std", "median", "softmax", "powerMean", "variancePreserving", "deepSets"}

// aggregation is aggr as torch_geometric's resolver reads it: case and separators do not matter.
func (c *Call) aggregation() string { return strings.TrimSuffix(squash(c.Str("aggr")), "aggregation") }

// aggregatingShape is graphShape with a known aggregation.
func aggregatingShape(c *Call) (Shape, error) {
	shape, err := graphShape(c, c.Int("outChannels"))
	if err == nil && !slices.ContainsFunc(aggregations, func(a string) bool { return squash(a) == c.aggregation() }) {
		return shape, c.Errorf(BadParam, "aggr is %v but takes one of %s", c.arg("aggr"), quantity.Own(strings.Join(aggregations, ", ")))
	}
	return shape, err
}

// aggregatingFLOPs counts two linear layers of every node: of its neighbours, and of itself.
func aggregatingFLOPs(c *Call) int64 {
	return c.MatMul(2, c.In[0][0], c.In[0][1], c.Int("outChannels"))
}

// graphLayer is the source of a wrapper that gives a layer of torch_geometric, which knows one graph, a batch of them.
const graphLayer = `import torch_geometric.nn


def on_batches(layer):
    """The graphs of a batch become the parts of one graph; the layer keeps the names of its weights."""
    forward = layer.forward

    def batched(x, edges):
        batch, nodes, _ = x.shape
        edges = edges + (torch.arange(batch, device=edges.device) * nodes)[:, None, None]
        edges = edges.permute(1, 0, 2).reshape(2, -1)
        return forward(x.flatten(0, 1), edges).reshape(batch, nodes, -1)

    layer.forward = batched
    return layer
`
