package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "batchNorm",
	Title:   "Normalises each channel over the batch",
	Doc:     `Brings each channel to mean 0 and variance 1 over the batch and all positions, then scales and shifts it. Takes (channels), or channels with up to three further axes; numFeatures is taken from the input if it is left out. In training it needs more than one value for each channel, so a batch of one fails behind a global pool.`,
	Source:  "torch.nn.BatchNorm1d, BatchNorm2d, BatchNorm3d and their lazy forms; Ioffe and Szegedy 2015",
	Group:   Normalisation,
	Aliases: []string{"batchNorm1d", "batchNorm2d", "batchNorm3d", "batchNormalization", "lazyBatchNorm1d", "lazyBatchNorm2d", "lazyBatchNorm3d", "syncBatchNorm"},
	Traits:  IsNorm | IsBatchNorm | KeepsShape | CentresChannels,
	Params: []Param{
		paramNumFeatures, paramEps, paramMomentum,
		{Name: "affine", Kind: Bool, Default: true, Doc: "whether there is a trained scale and shift for each channel"},
		{Name: "trackRunningStats", Kind: Bool, Default: true, Doc: "whether mean and variance are remembered for evaluation"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(1, 4, "(channels) and up to three further axes"); err != nil {
			return nil, err
		}
		if c.Float("eps") <= 0 { // refused since PyTorch 2.10
			return c.In[0], c.Errorf(BadParam, "eps is %v but must be above 0", c.arg("eps"))
		}
		if !c.Bool("affine") && !c.Bool("trackRunningStats") {
			return c.In[0], nil // nothing has numFeatures elements
		}
		return c.In[0], c.Match(NormSizeMismatch, "numFeatures", "channel")
	},
	Weights: func(c *Call) { normWeights(c, c.Int("numFeatures")) },
	Lower:   func(l *Lowering) op.Value { return l.batchNorm(l.X[0], "") },
	Torch:   `BatchNorm({{numFeatures}}, eps={{eps}}, momentum={{momentum}}, affine={{affine}}, track_running_stats={{trackRunningStats}})`,
	Module: `class BatchNorm(nn.modules.batchnorm._BatchNorm):
    """BatchNorm1d, 2d and 3d in one: the number of axes is that of the input."""

    def _check_input_dim(self, x):
        if not 2 <= x.dim() <= 5:
            raise ValueError(f"takes 2 to 5 axes with the batch, got {x.dim()}")
`,
	WeightFormula: "affine*2*numFeatures",
	Examples: []Example{
		{In: "[64,8,8]", Args: "numFeatures=64", Out: "[64,8,8]", Weights: 128},
		{In: "[10]", Out: "[10]", Weights: 20},
		{In: "[9,5]", Args: "numFeatures=8 affine=false trackRunningStats=false", Out: "[9,5]"},
		{In: "[9,5]", Args: "numFeatures=8", Err: "numFeatures is 8 but 9 channels arrive"},
		{In: "[9,5]", Args: "numFeatures=8 affine=false", Err: "numFeatures is 8 but 9 channels arrive"},
		{In: "[4,2,5,1,2]", Args: "numFeatures=4", Err: "takes (channels) and up to three further axes, got [4,2,5,1,2]"},
		{In: "[64,8,8]", Args: "eps=0", Err: "eps is 0 but must be above 0"},
	},
})
