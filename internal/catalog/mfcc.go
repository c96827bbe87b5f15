package catalog

var _ = define(Type{
	ID:    "mfcc",
	Title: "Mel-frequency cepstral coefficients of a signal",
	Doc: `A mel spectrogram in decibels, of which each frame is transformed by a discrete cosine transform, as torchaudio.transforms.MFCC does. ` +
		`It takes (…, samples) and returns (…, nMfcc, frames). nMfcc must not exceed nMels; nothing is trained.`,
	Source: "torchaudio.transforms.MFCC",
	Group:  Audio,
	Params: []Param{
		paramSampleRate,
		{Name: "nMfcc", Kind: Int, Min: 1, Default: 40, Writes: At(-2), Doc: "number of coefficients"},
		audioNFft(),
		paramHopLength("nFft/2", func(c *Call) int64 { return c.Int("nFft") / 2 }),
		paramNMels,
	},
	Shape: func(c *Call) (Shape, error) {
		if n, mels := c.Int("nMfcc"), c.Int("nMels"); n > mels {
			return nil, c.Errorf(SpectrogramSize, "nMfcc is %d but there are %d mel bands", n, mels)
		}
		frames, err := c.audioFrames(c.Int("nFft"), true)
		if err != nil {
			return nil, err
		}
		return append(c.In[0].With(-1, c.Int("nMfcc")), frames), nil
	},
	FLOPs: func(c *Call) int64 {
		return c.MatMul(c.signals(), c.Out.At(-1), c.Int("nMels"), c.Add(c.Int("nFft")/2+1, c.Int("nMfcc")))
	},
	Lower: lowerMFCC,
	Torch: `torchaudio.transforms.MFCC(sample_rate={{sampleRate}}, n_mfcc={{nMfcc}}, ` +
		`melkwargs=dict(n_fft={{nFft}}, hop_length={{hopLength}}, n_mels={{nMels}}))`,
	Module:       "import torchaudio\n",
	FLOPsFormula: "2*size(out)/nMfcc*nMels*(nFft/2 + 1 + nMfcc)",
	Examples: []Example{
		{In: "[16000]", Args: "nMfcc=13 nMels=40 hopLength=160", Out: "[13,101]", FLOPs: 1729120},
		{In: "[2,1267]", Args: "nMfcc=40", Out: "[2,40,7]", FLOPs: 863744},
		{In: "[16000]", Args: "nMfcc=40 nMels=23", Err: "nMfcc is 40 but there are 23 mel bands"},
	},
})
