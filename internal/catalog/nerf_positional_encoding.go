package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "nerfPositionalEncoding",
	Title: "Sines and cosines of coordinates",
	Doc: `Replaces each coordinate, an entry of the last axis, by its sine and cosine at numFreqs frequencies, each twice the one before, and by itself unless includeInput is false. ` +
		`The last axis grows to (2*numFreqs + includeInput) times its size.`,
	Source:  "Mildenhall et al. 2020, NeRF, equation 4; yenchenlin/nerf-pytorch run_nerf_helpers.py Embedder",
	Group:   Embeddings,
	Aliases: []string{"nerfEncoding", "frequencyEncoding"},
	Ints:    IntsToFloat,
	Params: []Param{
		{Name: "numFreqs", Kind: Int, Min: 1, Default: 10, Aliases: []string{"numFrequencies"}, Doc: "number of frequencies"},
		{Name: "includeInput", Kind: Bool, Default: true, Doc: "whether the coordinates themselves are part of the result"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(1, MaxAxes, "(…, coordinates)"); err != nil {
			return nil, err
		}
		times := c.Mul(2, c.Int("numFreqs"))
		if c.Bool("includeInput") {
			times = c.Add(times, 1)
		}
		return c.In[0].With(-1, c.Mul(times, c.In[0].At(-1))), nil
	},
	Lower: func(l *Lowering) op.Value {
		p, n := l.P, l.Int("numFreqs")
		if n > MostParts {
			return op.None
		}
		var parts []op.Value
		if l.Bool("includeInput") {
			parts = append(parts, l.X[0])
		}
		for range 2 * n {
			parts = append(parts, op.OfInput(p, op.Scale(p, l.X[0])))
		}
		return op.Concatenate(p, l.Out, parts...)
	},
	Torch: `NerfEncoding({{numFreqs}}, {{includeInput}})`,
	Module: `class NerfEncoding(nn.Module):
    def __init__(self, freqs, include_input):
        super().__init__()
        self.freqs, self.include_input = freqs, include_input

    def forward(self, x):
        waves = [fn(x * 2.0**k) for k in range(self.freqs) for fn in (torch.sin, torch.cos)]
        return torch.cat(([x] if self.include_input else []) + waves, -1)
`,
	Examples: []Example{
		{In: "[64,3]", Out: "[64,63]"},
		{In: "[3]", Args: "numFreqs=4 includeInput=false", Out: "[24]"},
		{In: "[]", Err: "takes (…, coordinates), got []"},
		{In: "[3]", Args: "numFreqs=0", Err: "numFreqs is 0"},
	},
})
