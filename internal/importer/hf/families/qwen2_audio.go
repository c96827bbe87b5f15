package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "qwen2_audio", Default: "Qwen2AudioForConditionalGeneration",
	Classes: map[string]func(*Build){
		"Qwen2AudioForConditionalGeneration": func(b *Build) {
			audioConfig, text := b.Part("audio_config", "qwen2_audio_encoder", ""), b.Part("text_config", "qwen2", "")
			x := whisperTower(b.Scope("model.audio_tower").With(audioConfig), halve)
			dim := text.Size("hidden_size")
			x = b.Linear(x, "model.multi_modal_projector.linear", audioConfig.Size("d_model"), dim, true)
			stack.Listen(b, text, x)
		},
	}})

// halve averages pairs of positions.
func halve(b *Build, x Node) Node {
	return b.Swap(b.Add("avgPool1d", "avg_pooler", Args{build.Int("kernelSize", 2), build.Int("stride", 2)}, b.Swap(x)))
}
