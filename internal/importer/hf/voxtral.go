package hf

var _ = define(Family{Type: "voxtral", Default: "VoxtralForConditionalGeneration", Classes: map[string]func(*Build){
	"VoxtralForConditionalGeneration": voxtral,
}})

// voxtral is Whisper's encoder, whose positions are stacked to rows as wide as its feed-forward network, and a language model.
func voxtral(b *Build) {
	audio, text := b.Part("audio_config", "voxtral_encoder", ""), b.Part("text_config", "llama", `{"vocab_size": 131072, "hidden_size": 3072,
		"intermediate_size": 8192, "num_hidden_layers": 30, "num_key_value_heads": 8, "max_position_embeddings": 131072, "rope_theta": 100000000.0, "head_dim": 128}`)
	x := b.Scope("model.audio_tower").With(audio).whisperTower(nil)
	width, dim := audio.Size("intermediate_size"), text.Size("hidden_size")
	count := audio.Size("max_source_positions") * audio.Size("hidden_size") / width
	x = b.Projector(b.Scope("model.multi_modal_projector").Stack(x, count, width), width, dim, dim, false, b.Str("projector_hidden_act"))
	b.Listen(text, x)
}

// whisperTower is Whisper's encoder as a part. pool, where given, stands ahead of its last norm.
func (b *Build) whisperTower(pool func(b *Build, x Node) Node) Node {
	s := whisper(b).filled()
	s.Encoded = pool
	x := s.Source(b)
	return b.encodeHere(s, x)
}
