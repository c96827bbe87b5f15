package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "seriesDecomp",
	Title: "Splits a series into trend and season",
	Doc: `Takes the mean of kernelSize positions around each position of (sequence, features), where the first and the last position are repeated at the ends. ` +
		`index 0 gives the series less that mean, the season; index 1 gives the mean, the trend. kernelSize must be odd: an even one gives a shorter series.`,
	Source:  "Wu et al. 2021, Autoformer; thuml/Time-Series-Library layers/Autoformer_EncDec.py series_decomp",
	Group:   Blocks,
	Aliases: []string{"seriesDecomposition"},
	Traits:  KeepsShape | IsLinear,
	Ints:    IntsKept,
	Params: []Param{
		{Name: "kernelSize", Kind: Int, Min: 1, Aliases: []string{"movingAvg"}, Doc: "positions that a mean is taken of, an odd number"},
		{Name: "index", Kind: Int, Max: 1, Default: 0, Doc: "0 for what is left of the series, 1 for the moving mean"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(2, 2, "(sequence, features)"); err != nil {
			return nil, err
		}
		if k := c.Int("kernelSize"); k%2 == 0 {
			return c.In[0], c.Errorf(MergeShapeMismatch, "kernelSize is %d, an even number: the moving mean has %d positions, the series %d", k, c.In[0][0]-1, c.In[0][0])
		}
		return c.In[0], nil
	},
	Lower: func(l *Lowering) op.Value {
		p, s, d, n := l.P, l.In[0][0], l.In[0][1], (l.Int("kernelSize")-1)/2
		parts := []op.Value{l.X[0]}
		if n > 0 {
			end := func() op.Value { return op.Copied(p, op.View(p, l.X[0], 1, d), n, d) }
			parts = []op.Value{end(), l.X[0], end()}
		}
		long := op.View(p, op.Concatenate(p, Of(s+2*n, d), parts...), d, s+2*n)
		mean := op.View(p, op.ResampleSaved(p, long, d, s), s, d)
		rest := op.Sub(p, l.X[0], mean)
		if l.Int("index") == 1 {
			return mean
		}
		return rest
	},
	Torch: `SeriesDecomp({{kernelSize}}, {{index}})`,
	Module: `class SeriesDecomp(nn.Module):
    def __init__(self, kernel_size, index):
        super().__init__()
        self.pad, self.index, self.avg = (kernel_size - 1) // 2, index, nn.AvgPool1d(kernel_size, stride=1)

    def forward(self, x):
        y = torch.cat([x[:, :1].repeat(1, self.pad, 1), x, x[:, -1:].repeat(1, self.pad, 1)], 1)
        trend = self.avg(y.permute(0, 2, 1)).permute(0, 2, 1)
        return trend if self.index else x - trend
`,
	Examples: []Example{
		{In: "[96,7]", Args: "kernelSize=25", Out: "[96,7]"},
		{In: "[96,7]", Args: "kernelSize=1 index=1", Out: "[96,7]"},
		{In: "[96,7]", Args: "kernelSize=24", Err: "kernelSize is 24, an even number: the moving mean has 95 positions, the series 96"},
		{In: "[7]", Args: "kernelSize=3", Err: "takes (sequence, features), got [7]"},
	},
})
