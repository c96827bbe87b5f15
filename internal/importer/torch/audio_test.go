package torch

import (
	"context"
	"os"
	"testing"
)

// TestTorchaudioIsReadExactly reads the models of Debian's python3-torchaudio where the package puts them. The counts were printed by
// that package itself.
func TestTorchaudioIsReadExactly(t *testing.T) {
	if _, err := os.Stat(packages + "/torchaudio/models/wav2letter.py"); err != nil {
		t.Skip("python3-torchaudio is not installed")
	}
	ints := func(shape ...int64) Input { return Input{Shape: shape, DType: "int64"} }
	floats := func(shape ...int64) Input { return Input{Shape: shape} }
	tally := map[Status]int{}
	for _, c := range []struct {
		file, name string
		args       map[string]string
		inputs     []Input
		params     int64
	}{
		{"wav2letter.py", "Wav2Letter", nil, []Input{floats(1, 8000)}, 26211290},
		{"deepspeech.py", "DeepSpeech", map[string]string{"n_feature": "40"}, []Input{floats(1, 50, 40)}, 29540392},
		{"conv_tasnet.py", "ConvTasNet", nil, []Input{floats(1, 4000)}, 4984881},
		{"wav2vec2/model.py", "wav2vec2_base", nil, []Input{floats(8000)}, 94370944},
		{"wav2vec2/model.py", "wav2vec2_large", nil, []Input{floats(8000)}, 315427968},
		{"wav2vec2/model.py", "hubert_base", nil, []Input{floats(8000)}, 94370944},
		{"wavernn.py", "WaveRNN", map[string]string{"upsample_scales": "[5,5,8]", "n_classes": "512", "hop_length": "200"}, []Input{floats(1, 1200), floats(1, 128, 10)}, 4536231},
		{"conformer.py", "Conformer", map[string]string{"input_dim": "80", "num_heads": "4", "ffn_dim": "128", "num_layers": "4", "depthwise_conv_kernel_size": "31"},
			[]Input{floats(40, 80), ints()}, 361024},
		{"tacotron2.py", "Tacotron2", nil, []Input{ints(20), ints(), floats(80, 30), ints()}, 28193153},
		{"_hdemucs.py", "hdemucs_low", map[string]string{"sources": "['a', 'b']"}, []Input{floats(2, 44100)}, 20035676},
		{"rnnt.py", "emformer_rnnt_base", map[string]string{"num_symbols": "100"}, []Input{floats(40, 80)}, 70594660},
	} {
		m, err := importAt(context.Background(), packages, "torchaudio/models/"+c.file, c.name, Options{Inputs: c.inputs, Args: c.args})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		tally[m.Status]++
		if m.Status != Full {
			t.Logf("%s is read %s: %v", c.name, m.Status, m.Problems)
		}
		if m.Params != c.params {
			t.Errorf("%s has %d parameters, PyTorch's has %d", c.name, m.Params, c.params)
		}
	}
	t.Logf("%v", tally)
}
