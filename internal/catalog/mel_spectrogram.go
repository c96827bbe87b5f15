package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "melSpectrogram",
	Title: "The energy of a signal in mel bands",
	Doc: `A short-time Fourier transform whose frequencies are summed up in nMels bands that are as wide as the ear hears them, as torchaudio.transforms.MelSpectrogram does. ` +
		`It takes (…, samples) and returns (…, nMels, frames). The bands are fixed, not trained.`,
	Source:  "torchaudio.transforms.MelSpectrogram",
	Group:   Audio,
	Aliases: []string{"mel"},
	Params: []Param{
		paramSampleRate,
		audioNFft(),
		paramWinLength,
		paramHopLength("winLength/2", func(c *Call) int64 { return c.Int("winLength") / 2 }),
		paramNMels,
		paramCenter,
		{Name: "power", Kind: Float, Default: 2.0, NotNull: true, Doc: "power to which the size of each frequency is raised"},
	},
	Shape: func(c *Call) (Shape, error) {
		frames, err := c.audioFrames(c.Int("winLength"), c.Bool("center"))
		if err != nil {
			return nil, err
		}
		return append(c.In[0].With(-1, c.Int("nMels")), frames), nil
	},
	FLOPs: func(c *Call) int64 { return c.MatMul(c.signals(), c.Out.At(-1), c.Int("nFft")/2+1, c.Int("nMels")) },
	Lower: func(l *Lowering) op.Value {
		return l.mels(l.Int("winLength"), l.Out, l.Bool("center"), l.Float("power") != 1)
	},
	Torch: `torchaudio.transforms.MelSpectrogram(sample_rate={{sampleRate}}, n_fft={{nFft}}, win_length={{winLength}}, hop_length={{hopLength}}, ` +
		`n_mels={{nMels}}, center={{center}}, power={{power}})`,
	Module:       "import torchaudio\n",
	FLOPsFormula: "2*size(out)*(nFft/2 + 1)",
	Examples: []Example{
		{In: "[16000]", Args: "nFft=400 hopLength=160 nMels=80", Out: "[80,101]", FLOPs: 3248160},
		{In: "[2,1000]", Args: "nFft=256 center=false", Out: "[2,128,6]", FLOPs: 396288},
		{In: "[100]", Err: "mirrors nFft/2 = 200 samples at both ends, but only 100 arrive"},
		{In: "[1000]", Args: "winLength=500", Err: "winLength is 500 but must not exceed nFft, which is 400"},
	},
})
