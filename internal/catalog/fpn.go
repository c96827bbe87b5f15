package catalog

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:      "fpn",
	Title:   "Feature pyramid: one level of it",
	Doc:     `Brings feature maps of several sizes to outChannels with convolutions of size 1, adds to each the next coarser one, resized, and smooths the sums with convolutions of size 3. The inputs are (channels, height, width) each, the finest first, as many as inChannels names. The result is the level of index; the others are computed as well.`,
	Source:  "torchvision.ops.FeaturePyramidNetwork; Lin et al. 2016, Feature Pyramid Networks for Object Detection",
	Group:   Blocks,
	Aliases: []string{"featurePyramidNetwork", "featurePyramid"},
	Traits:  IsMerge,
	Inputs:  Arity{1, Any},
	Params: []Param{
		{Name: "inChannels", Kind: Ints, ListOnly: true, Min: 1, Aliases: []string{"inChannelsList"}, Doc: "channels of each input"},
		{Name: "outChannels", Kind: Int, Min: 1, Writes: At(0), Doc: "channels of every level"},
		{Name: "index", Kind: Int, Default: 0, Aliases: []string{"level"}, Doc: "which level flows on, 0 for the finest"},
	},
	Shape: fpnShape,
	Weights: func(c *Call) {
		out := c.Int("outChannels")
		if c.long("inChannels") {
			c.LacksWeights()
			return
		}
		for i, in := range c.Ints("inChannels") {
			inner, layer := fmt.Sprintf("inner_blocks.%d.0", i), fmt.Sprintf("layer_blocks.%d.0", i)
			c.weight(1, inner, "weight", out, in, 1, 1)
			c.weight(1, inner, "bias", out)
			c.weight(1, layer, "weight", out, out, 3, 3)
			c.weight(1, layer, "bias", out)
		}
	},
	FLOPs: func(c *Call) int64 {
		flops, out := int64(0), c.Int("outChannels")
		for _, in := range c.In {
			flops = c.Add(flops, c.Mul(2, c.Size(in[1:]), out, c.Add(in[0], c.Mul(9, out))))
		}
		return flops
	},
	Lower: lowerFPN,
	Torch: `FPN({{inChannels}}, {{outChannels}}, {{index}})`,
	Module: `class FPN(nn.Module):
    def __init__(self, channels, out, index):
        super().__init__()
        self.inner_blocks = nn.ModuleList([nn.Sequential(nn.Conv2d(c, out, 1)) for c in channels])
        self.layer_blocks = nn.ModuleList([nn.Sequential(nn.Conv2d(out, out, 3, padding=1)) for _ in channels])
        self.index = index

    def forward(self, *maps):
        results, above = [], None
        for x, inner, layer in reversed(list(zip(maps, self.inner_blocks, self.layer_blocks, strict=True))):
            y = inner(x)
            above = y if above is None else y + F.interpolate(above, size=y.shape[-2:], mode="nearest")
            results.insert(0, layer(above))
        return results[self.index]
`,
	WeightFormula: "outChannels*(sum(inChannels) + rank(inChannels)*(9*outChannels + 2))",
	FLOPsFormula:  "2*outChannels*(sizes(0) + 9*outChannels*sizes(1))",
	Examples: []Example{
		{In: "[8,4,7] [4,2,3]", Args: "inChannels=[8,4] outChannels=11", Out: "[11,4,7]", Weights: 2354, FLOPs: 79508},
		{In: "[12,12,5] [11,6,2] [12,3,1]", Args: "inChannels=[12,11,12] outChannels=7 index=1", Out: "[7,6,2]", Weights: 1610, FLOPs: 78582},
		{In: "[8,4,7] [4,2,3]", Args: "inChannels=[8] outChannels=11", Err: "inChannels names 1 input but 2 arrive"},
		{In: "[8,4,7] [4,2,3]", Args: "inChannels=[8,6] outChannels=11", Err: "inChannels is [8,6] but input 1 has 4 channels"},
		{In: "[8,4,7] [4,2,3]", Args: "inChannels=[8,4] outChannels=11 index=2", Err: "index is 2 but there are 2 levels"},
		{In: "[8,4,7] [4,2]", Args: "inChannels=[8,4] outChannels=11", Err: "input 1 must be (channels, height, width), got [4,2]"},
	},
})

func fpnShape(c *Call) (Shape, error) {
	want, index := c.Ints("inChannels"), c.Int("index")
	if len(want) != len(c.In) {
		rule := MissingInput
		if len(want) < len(c.In) {
			rule = TooManyInputs
		}
		return nil, c.Errorf(rule, "inChannels names %s", arrivals(len(want), len(c.In)))
	}
	if index >= int64(len(want)) {
		return nil, c.Errorf(IndexOutOfRange, "index is %d but there are %d levels, counted from 0", index, len(want))
	}
	got, wrong, misfits := make([]int64, len(want)), 0, 0
	for i, in := range c.In {
		if in.Rank() != 3 {
			return nil, c.Errorf(RankMismatch, "input %d must be %s, got %v", i, imageAxes[2], in)
		}
		if got[i] = in[0]; got[i] != want[i] {
			wrong, misfits = i, misfits+1
		}
	}
	shape := c.In[index].With(0, c.Int("outChannels"))
	if misfits == 0 {
		return shape, nil
	}
	r := c.Errorf(ChannelMismatch, "inChannels is %v but input %d has %d channels", c.arg("inChannels"), wrong, got[wrong]).Set("inChannels", graph.IntsValue(got...))
	if misfits == 1 {
		r.Wants(wrong, At(0), want[wrong])
	}
	return shape, r
}

// arrivals says how many inputs are named and how many there are.
func arrivals(named, there int) string {
	verb, noun := "arrive", "inputs"
	if there == 1 {
		verb = "arrives"
	}
	if named == 1 {
		noun = "input"
	}
	return fmt.Sprintf("%d %s but %d %s", named, noun, there, verb)
}

func lowerFPN(l *Lowering) op.Value {
	above, result := op.None, op.None
	if l.long("inChannels") {
		return op.None
	}
	for i := len(l.X) - 1; i >= 0; i-- {
		places, one := l.In[i][1:], op.Geometry{Groups: 1}
		y := l.conv(l.X[i], fmt.Sprintf("inner_blocks.%d.0", i), one, places...)
		if above != op.None {
			y = op.Add(l.P, y, op.Resample(l.P, above, l.P.Shape(y)...))
		}
		above = y
		level := l.conv(above, fmt.Sprintf("layer_blocks.%d.0", i), one, places...)
		if int64(i) == l.Int("index") {
			result = level
		}
	}
	return result
}
