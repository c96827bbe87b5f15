package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "audioflamingo3", Default: "AudioFlamingo3ForConditionalGeneration",
		Classes: map[string]func(*Build){
			"AudioFlamingo3ForConditionalGeneration": audioFlamingo}})
	_ = family.Define(family.Family{Type: "musicflamingo", Default: "MusicFlamingoForConditionalGeneration",
		Classes: map[string]func(*Build){
			"MusicFlamingoForConditionalGeneration": audioFlamingo}})
)

// audioFlamingo is Whisper's encoder with pairs of positions averaged, and a language model. Music Flamingo turns the
// features by their time, too, without weights.
func audioFlamingo(b *Build) {
	audioConfig, text := b.Part("audio_config", "audioflamingo3_encoder", ""), b.Part("text_config", "qwen2", "")
	x := whisperTower(b.Scope("model.audio_tower").With(audioConfig), halve)
	dim := text.Size("hidden_size")
	x = stack.Projector(b, x, audioConfig.Size("hidden_size"), dim, dim, b.Bool("projector_bias"),
		b.Str("projector_hidden_act"))
	stack.Listen(b, text, x)
}
