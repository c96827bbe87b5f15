package rules

var _ = define(Rule{
	ID:       "spectrogram-size",
	Title:    "A transform that does not fit the samples",
	Severity: Block,
	Doc:      `A short-time Fourier transform cuts the signal into windows of nFft samples: the window is no longer than nFft, and the signal must hold one, or, where it is centred and so mirrored at both ends, more than half of one. MFCC cannot keep more coefficients than there are mel bands. Use a smaller nFft or longer clips.`,
	Source:   "torch.stft, aten/src/ATen/native/SpectralOps.cpp; torchaudio.transforms.MFCC, torchaudio/transforms/_transforms.py",
	Examples: []string{
		"x: input shape=[100]\ns: stft nFft=400 // want\no: output\nx -> s -> o",
		"x: input shape=[16000]\ns: stft nFft=400 winLength=512 // want\no: output\nx -> s -> o",
		"x: input shape=[16000]\ns: mfcc nMfcc=64 nMels=40 // want\no: output\nx -> s -> o",
		"x: input shape=[16000]\ns: stft nFft=400\no: output\nx -> s -> o",
		"x: input shape=[16000]\ns: mfcc nMfcc=13 nMels=40\no: output\nx -> s -> o",
	},
})
