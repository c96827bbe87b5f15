package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "instanceNorm",
	Title:   "Normalises each channel of each sample",
	Doc:     `Brings each channel of each sample to mean 0 and variance 1 over its positions. Takes channels with one to three further axes, together more than one position. Without weights, which is the default, any number of channels will do; numFeatures is taken from the input if it is left out.`,
	Source:  "torch.nn.InstanceNorm1d, InstanceNorm2d, InstanceNorm3d and their lazy forms; Ulyanov et al. 2016",
	Group:   Normalisation,
	Aliases: []string{"instanceNorm1d", "instanceNorm2d", "instanceNorm3d", "instanceNormalization", "lazyInstanceNorm1d", "lazyInstanceNorm2d", "lazyInstanceNorm3d"},
	Traits:  IsNorm | KeepsShape | CentresChannels,
	Params: []Param{
		paramNumFeatures, paramEps, paramMomentum,
		{Name: "affine", Kind: Bool, Default: false, Doc: "whether there is a trained scale and shift for each channel"},
		{Name: "trackRunningStats", Kind: Bool, Default: false, Doc: "whether mean and variance are remembered for evaluation"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(2, 4, "channels and one to three further axes"); err != nil {
			return nil, err
		}
		in := c.In[0]
		if c.Bool("affine") || c.Bool("trackRunningStats") {
			if err := c.Match(NormSizeMismatch, "numFeatures", "channel"); err != nil {
				return in, err
			}
		}
		if c.Size(in[1:]) == 1 {
			return in, c.Errorf(SingleValueNorm, "each channel of %v has 1 value: nothing to normalise", in)
		}
		return in, nil
	},
	Weights: func(c *Call) { normWeights(c, c.Int("numFeatures")) },
	Lower:   lowerInstanceNorm,
	Torch:   `InstanceNorm({{numFeatures}}, eps={{eps}}, momentum={{momentum}}, affine={{affine}}, track_running_stats={{trackRunningStats}})`,
	Module: `class InstanceNorm(nn.modules.instancenorm._InstanceNorm):
    """InstanceNorm1d, 2d and 3d in one: the number of axes is that of the input."""

    def forward(self, x):
        if not 3 <= x.dim() <= 5:
            raise ValueError(f"takes 3 to 5 axes with the batch, got {x.dim()}")
        if self.affine and x.shape[1] != self.num_features:
            raise ValueError(f"num_features is {self.num_features} but {x.shape[1]} channels arrive")
        return self._apply_instance_norm(x)
`,
	WeightFormula: "affine*2*numFeatures",
	Examples: []Example{
		{In: "[64,8,8]", Args: "numFeatures=64", Out: "[64,8,8]"},
		{In: "[64,8,8]", Args: "affine=true", Out: "[64,8,8]", Weights: 128},
		{In: "[9,5]", Args: "numFeatures=8", Out: "[9,5]"},
		{In: "[9,5]", Args: "numFeatures=8 affine=true", Err: "numFeatures is 8 but 9 channels arrive"},
		{In: "[9]", Err: "takes channels and one to three further axes, got [9]"},
		{In: "[9,1,1]", Err: "each channel of [9,1,1] has 1 value"},
	},
})

// lowerInstanceNorm is torch.instance_norm: a batch normalisation that takes the samples for channels, of weights that are repeated for them.
func lowerInstanceNorm(l *Lowering) op.Value {
	channels, affine := l.In[0][0], op.Affine{Weight: op.None, Bias: op.None}
	if w := l.W("weight"); w != op.None {
		affine = op.Affine{Weight: op.ForEachSample(l.P, w), Bias: op.ForEachSample(l.P, l.W("bias"))}
	}
	var running []op.Value
	if l.Bool("trackRunningStats") {
		for range 2 {
			running = append(running, op.ForEachSample(l.P, l.P.Buffer(op.Float, channels)))
		}
	}
	return op.BatchNorm(l.P, l.X[0], channels, false, affine, running...)
}
