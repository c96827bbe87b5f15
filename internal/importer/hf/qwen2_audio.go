package hf

var _ = define(Family{Type: "qwen2_audio", Default: "Qwen2AudioForConditionalGeneration", Classes: map[string]func(*Build){
	"Qwen2AudioForConditionalGeneration": func(b *Build) {
		audio, text := b.Part("audio_config", "qwen2_audio_encoder", ""), b.Part("text_config", "qwen2", "")
		x := b.Scope("model.audio_tower").With(audio).whisperTower((*Build).halve)
		dim := text.Size("hidden_size")
		x = b.Linear(x, "model.multi_modal_projector.linear", audio.Size("d_model"), dim, true)
		b.Listen(text, x)
	},
}})

// halve averages pairs of positions.
func (b *Build) halve(x Node) Node {
	return b.Swap(b.Add("avgPool1d", "avg_pooler", Args{Int("kernelSize", 2), Int("stride", 2)}, b.Swap(x)))
}
