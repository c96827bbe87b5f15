package catalog

// The parameters of the short-time Fourier transforms.
var (
	paramNFft       = Param{Name: "nFft", Kind: Int, Min: 1, Doc: "samples of one frame"}
	paramSampleRate = Param{Name: "sampleRate", Kind: Float, Default: 16000, Doc: "samples per second; half of it is the highest frequency"}
	paramNMels      = Param{Name: "nMels", Kind: Int, Min: 1, Default: 128, Doc: "number of mel bands"}
	paramCenter     = Param{Name: "center", Kind: Bool, Default: true, Doc: "whether the signal is mirrored at both ends, so that the first frame is centred on the first sample"}
	paramWinLength  = Param{Name: "winLength", Kind: Int, Min: 1, Derive: func(c *Call) int64 { return c.Int("nFft") }, DeriveDoc: "nFft", Doc: "length of the window, at most nFft"}
)

// audioNFft is nFft as torchaudio has it, with a default.
func audioNFft() Param {
	p := paramNFft
	p.Default = 400
	return p
}

// paramHopLength takes how it follows from the others: torch and torchaudio differ.
func paramHopLength(doc string, derive func(c *Call) int64) Param {
	return Param{Name: "hopLength", Kind: Int, Min: 1, Derive: derive, DeriveDoc: doc, Doc: "samples from one frame to the next"}
}

// frames is how many frames torch.stft cuts from the last axis of the input. Mirroring needs more samples than it adds at one
// end, and a frame as many as it is long.
func (c *Call) frames(window int64, center bool) (int64, error) {
	samples, n, hop := c.In[0].At(-1), c.Int("nFft"), c.Int("hopLength")
	if window > n {
		return 0, c.Errorf(SpectrogramSize, "winLength is %d but must not exceed nFft, which is %d", window, n)
	}
	if hop < 1 {
		return 0, c.Errorf(SpectrogramSize, "hopLength comes to %d and must be given", hop)
	}
	if center {
		if n/2 >= samples {
			return 0, c.Errorf(SpectrogramSize, "mirrors nFft/2 = %d samples at both ends, but only %d arrive", n/2, samples)
		}
		samples = c.Add(samples, n/2, n/2)
	}
	if samples < n {
		return 0, c.Errorf(SpectrogramSize, "nFft is %d but only %d samples arrive", n, samples)
	}
	return (samples-n)/hop + 1, nil
}

// audioFrames is frames for torchaudio's transforms, which take any axes before the samples.
func (c *Call) audioFrames(window int64, center bool) (int64, error) {
	if c.In[0].Rank() == 0 {
		return 0, c.Errorf(RankMismatch, "takes (…, samples), got a scalar per sample")
	}
	if c.Float("sampleRate") < 0 {
		return 0, c.Errorf(BadParam, "sampleRate is %v but must not be negative", c.arg("sampleRate"))
	}
	return c.frames(window, center)
}

// signals is the number of signals of a sample: the axes before the samples.
func (c *Call) signals() int64 { return c.Size(c.In[0][:c.In[0].Rank()-1]) }
