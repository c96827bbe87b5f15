package hf

var _ = define(Family{Type: "whisper", Default: "WhisperForConditionalGeneration", Classes: whisperClasses()})

func whisperClasses() map[string]func(*Build) {
	classes := seq2seq("Whisper", whisper)
	classes["WhisperForAudioClassification"] = func(b *Build) {
		s := whisper(b).filled()
		if b.Bool("use_weighted_layer_sum") {
			fail(CodeArchitecture, b.at("use_weighted_layer_sum"), "a weighted sum of the layers is not modelled")
		}
		dim, inner := b.Size("d_model"), b.Size("classifier_proj_size")
		x := b.Linear(b.encode(s, s.Source(b.Scope(encoder))), "projector", dim, inner, true)
		x = b.Add("mean", "", Args{Int("dim", 1)}, x)
		b.Output(b.Linear(x, "classifier", inner, b.NumLabels(), true))
	}
	return classes
}

// whisper encodes a spectrogram: two convolutions, the second of which halves it, and fixed positions.
func whisper(*Build) Seq2Seq {
	return Seq2Seq{Head: "proj_out", Pre: true, LastNorm: true, NoKeyBias: true, OwnTables: true, MaxInput: "max_source_positions", MaxTarget: "max_target_positions",
		Source: func(b *Build) Node { return b.spectrogramStem(b.Size("d_model"), b.Size("max_source_positions")) },
		Positions: func(b *Build, x Node, half string) Node {
			key := "max_source_positions"
			if half == decoder {
				key = "max_target_positions"
			}
			x = b.Positions(x, "embed_positions", b.Size(key), b.Size("d_model"))
			if half == encoder {
				b.way(x, "frozen")
			}
			return x
		}}
}

// spectrogramStem turns a spectrogram into positions, half as many as it has moments.
func (b *Build) spectrogramStem(dim, positions int64) Node {
	mels := b.Size("num_mel_bins")
	x := b.Input("input_features", mels, 2*positions)
	for i, in := range []int64{mels, dim} {
		x = b.Conv1d(x, []string{"conv1", "conv2"}[i], Convolution{In: in, Out: dim, Kernel: 3, Stride: int64(i) + 1, Padding: 1, Bias: true})
		x = b.Add("gelu", "", nil, x)
	}
	return b.Swap(x)
}
