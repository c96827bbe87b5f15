package catalog

import "github.com/modelverifier/verifier/internal/op"

// spectrum is the sizes of torch.stft of so many signals: the signal is mirrored at its ends, cut into frames
// and multiplied with a window.
func (l *Lowering) spectrum(window, signals, frames, bins int64, center bool, shape Shape) op.Value {
	p, n := l.P, l.Int("nFft")
	x := l.X[0]
	if center {
		x = op.ResampleSaved(p, x, signals, l.In[0].At(-1)+n/2*2)
	}
	w := p.Buffer(op.Float, window)
	if window != n {
		w = op.Padded(p, w, n)
	}
	cut := op.Mul(p, op.Frames(p, x, signals*frames, n), w)
	return op.Magnitude(p, op.RFFT(p, cut, signals*frames, bins), shape...)
}

// mels is torchaudio.transforms.MelSpectrogram of a shape: the sizes, or a power of them, are mapped to bands
// by a table.
func (l *Lowering) mels(window int64, shape Shape, center, power bool) op.Value {
	p, rows, bins, bands := l.P, l.signals()*shape.At(-1), l.Int("nFft")/2+1, l.Int("nMels")
	sizes := l.spectrum(window, l.signals(), shape.At(-1), bins, center, Of(rows, bins))
	if power {
		sizes = op.Pow(p, sizes)
	}
	return op.View(p, op.Linear(p, sizes, p.Buffer(op.Float, bands, bins), op.None), shape...)
}

// lowerMFCC is torchaudio.transforms.MFCC: decibels of mel bands, none further than 80 below the loudest,
// mapped by a table.
func lowerMFCC(l *Lowering) op.Value {
	p, bands := l.P, l.Int("nMels")
	rows := l.signals() * l.Out.At(-1)
	mels := l.mels(l.Int("nFft"), l.Out.With(-2, bands), true, true)
	decibels := op.Scale(p, op.WideOfInput(p, op.OfInput(p, mels)))
	outer := l.In[0][:max(0, l.In[0].Rank()-2)]
	loudest := op.Amax(p, decibels, append(append(Shape{}, outer...), 1)...)
	if l.In[0].Rank() == 1 { // one for all samples
		p.Tensors[loudest].Shared = true
	}
	quietest := op.Scale(p, loudest)
	flat := op.View(p, decibels, append(append(Shape{}, outer...), p.Elems(decibels)/max(1, outer.Size()))...)
	kept := op.Maximum(p, flat, quietest)
	table := p.Buffer(op.Float, l.Int("nMfcc"), bands)
	return op.View(p, op.Linear(p, op.View(p, kept, rows, bands), table, op.None), l.Out...)
}
