package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "miniBatchStdDev",
	Title: "A channel with the deviation over the batch",
	Doc: `Takes the standard deviation of each value of an image (channels, height, width) over the samples of the batch, averages all of them to one number, ` +
		`and adds a channel that holds it everywhere. A discriminator sees by it whether the samples of a batch differ.`,
	Source:  "Karras et al. 2018, section 3",
	Group:   Blocks,
	Aliases: []string{"minibatchStd", "minibatchStddevLayer"},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		return c.In[0].With(0, c.Add(c.In[0][0], 1)), nil
	},
	Lower: func(l *Lowering) op.Value {
		p, in := l.P, l.In[0]
		variance := op.Var(p, l.X[0], in...)
		p.Tensors[variance].Shared = true // over the batch
		mean := op.Mean(p, op.Sqrt(p, op.Scale(p, variance)), 1, 1, 1)
		channel := op.View(p, mean, 1, in[1], in[2])
		p.Tensors[channel].Shared = false
		return op.Concatenate(p, l.Out, l.X[0], channel)
	},
	Torch: `MiniBatchStdDev()`,
	Module: `class MiniBatchStdDev(nn.Module):
    def forward(self, x):
        y = torch.sqrt(x.var(0, unbiased=False) + 1e-8).mean()
        return torch.cat([x, y.expand(x.shape[0], 1, *x.shape[2:])], 1)
`,
	Examples: []Example{
		{In: "[512,4,4]", Out: "[513,4,4]"},
		{In: "[512,4]", Err: "takes (channels, height, width), got [512,4]"},
	},
})
