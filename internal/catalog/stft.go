package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "stft",
	Title: "The short-time Fourier transform of a signal",
	Doc: `Cuts a signal (samples) into overlapping frames, multiplies each by a Hann window and returns the size of its Fourier transform as (frequencies, frames), as torch.stft and abs do. ` +
		`The frequencies are nFft/2+1, or nFft if onesided is false. With center the signal must be longer than nFft/2, without it at least nFft.`,
	Source:  "torch.stft",
	Group:   Audio,
	Aliases: []string{"spectrogram"},
	Params: []Param{
		paramNFft,
		paramHopLength("nFft/4", func(c *Call) int64 { return c.Int("nFft") / 4 }),
		paramWinLength,
		paramCenter,
		{Name: "normalized", Kind: Bool, Default: false, Strict: true, Doc: "whether the result is divided by the root of nFft"},
		{Name: "onesided", Kind: Bool, Default: true, Strict: true, Doc: "whether the frequencies that mirror others are left out"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(1, 1, "(samples)"); err != nil {
			return nil, err
		}
		frames, err := c.frames(c.Int("winLength"), c.Bool("center"))
		if err != nil {
			return nil, err
		}
		bins := c.Int("nFft")
		if c.Bool("onesided") {
			bins = bins/2 + 1
		}
		return Of(bins, frames), nil
	},
	Lower: func(l *Lowering) op.Value {
		return l.spectrum(l.Int("winLength"), 1, l.Out[1], l.Out[0], l.Bool("center"), l.Out)
	},
	Torch: `STFT({{nFft}}, {{hopLength}}, {{winLength}}, center={{center}}, normalized={{normalized}}, onesided={{onesided}})`,
	Module: `class STFT(nn.Module):
    def __init__(self, n_fft, hop, win, **options):
        super().__init__()
        self.sizes, self.options = (n_fft, hop, win), options
        self.register_buffer("window", torch.hann_window(win))

    def forward(self, x):
        return torch.stft(x, *self.sizes, self.window, return_complex=True, **self.options).abs()
`,
	Examples: []Example{
		{In: "[16000]", Args: "nFft=512 hopLength=160", Out: "[257,101]"},
		{In: "[62]", Args: "nFft=8 center=false onesided=false", Out: "[8,28]"},
		{In: "[100]", Args: "nFft=512 hopLength=160", Err: "mirrors nFft/2 = 256 samples at both ends, but only 100 arrive"},
		{In: "[100]", Args: "nFft=16 winLength=20", Err: "winLength is 20 but must not exceed nFft"},
	},
})
