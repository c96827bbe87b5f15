package catalog

import "github.com/modelverifier/verifier/internal/quantity"

var _ = define(Type{
	ID:     "unflatten",
	Title:  "One axis as several",
	Doc:    `Shapes one axis as several, as torch.nn.Unflatten does: the reverse of flatten. The sizes must multiply to the size of the axis; one may be -1, which takes what the others leave. dim counts the batch as axis 0.`,
	Source: "torch.nn.Unflatten",
	Group:  Reshaping,
	Traits: IsView,
	Ints:   IntsKept,
	Params: []Param{
		{Name: "dim", Kind: Int, Negative: true, Doc: "the axis to shape, counting the batch"},
		{Name: "unflattenedSize", Kind: Ints, Min: -1, ListOnly: true, Aliases: []string{"sizes", "shape"}, Doc: "the sizes of the new axes; one may be -1"},
	},
	Shape: func(c *Call) (Shape, error) {
		in := c.In[0]
		at, err := c.Axis("dim", c.Int("dim"), in.Rank())
		if err != nil {
			return nil, err
		}
		if at < 0 {
			return c.unflattenBatch()
		}
		sizes, err := c.fit("unflattenedSize", in[at], quantity.Sprintf("axis %d has %d entries", at+1, in[at]))
		if sizes == nil {
			return nil, err
		}
		out := append(Shape{}, in[:at]...)
		out = append(out, sizes...)
		return append(out, in[at+1:]...), err
	},
	Lower: lowerReshape,
	Torch: `nn.Unflatten({{dim}}, {{unflattenedSize}})`,
	Examples: []Example{
		{In: "[768]", Args: "dim=1 unflattenedSize=[12,64]", Out: "[12,64]"},
		{In: "[50,768]", Args: "dim=-1 unflattenedSize=[12,-1]", Out: "[50,12,64]"},
		{In: "[7]", Args: "dim=0 unflattenedSize=[-1,1]", Out: "[1,7]"},
		{In: "[768]", Args: "dim=1 unflattenedSize=[10,-1]", Err: "axis 1 has 768 entries, which cannot be shaped as [10,-1]: not divisible by 10"},
		{In: "[768]", Args: "dim=1 unflattenedSize=[12,32]", Err: "unflattenedSize is [12,32], which has 384 elements, but axis 1 has 768 entries"},
		{In: "[768]", Args: "dim=1 unflattenedSize=[12]", Err: "unflattenedSize is [12] but axis 1 has 768 entries"},
		{In: "[768]", Args: "dim=1 unflattenedSize=768", Err: "takes a list of integers"},
		{In: "[768]", Args: "dim=0 unflattenedSize=[2,-1]", Err: "dim names the batch"},
	},
})

// unflattenBatch shapes the batch, which it leaves as it is only if it takes what axes of size 1 leave.
func (c *Call) unflattenBatch() (Shape, error) {
	sizes := Shape(c.Ints("unflattenedSize"))
	ones := sizes[1:]
	if sizes[0] != -1 || ones.Size() != 1 {
		return nil, c.Errorf(BatchAxis, "dim names the batch, which every component must keep")
	}
	for _, n := range ones {
		if n != 1 { // a second -1
			return nil, c.Errorf(ReshapeSizeMismatch, "unflattenedSize is %v but only one axis can be -1", sizes)
		}
	}
	return append(append(Shape{}, ones...), c.In[0]...), nil
}
