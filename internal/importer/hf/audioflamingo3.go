package hf

var (
	_ = define(Family{Type: "audioflamingo3", Default: "AudioFlamingo3ForConditionalGeneration", Classes: map[string]func(*Build){
		"AudioFlamingo3ForConditionalGeneration": audioFlamingo}})
	_ = define(Family{Type: "musicflamingo", Default: "MusicFlamingoForConditionalGeneration", Classes: map[string]func(*Build){
		"MusicFlamingoForConditionalGeneration": audioFlamingo}})
)

// audioFlamingo is Whisper's encoder with pairs of positions averaged, and a language model. Music Flamingo turns the features
// by their time, too, without weights.
func audioFlamingo(b *Build) {
	audio, text := b.Part("audio_config", "audioflamingo3_encoder", ""), b.Part("text_config", "qwen2", "")
	x := b.Scope("model.audio_tower").With(audio).whisperTower((*Build).halve)
	dim := text.Size("hidden_size")
	x = b.Projector(x, audio.Size("hidden_size"), dim, dim, b.Bool("projector_bias"), b.Str("projector_hidden_act"))
	b.Listen(text, x)
}
