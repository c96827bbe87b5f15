package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "voxtral", Default: "VoxtralForConditionalGeneration",
	Classes: map[string]func(*Build){
		"VoxtralForConditionalGeneration": voxtral,
	}})

// voxtral is Whisper's encoder, whose positions are stacked to rows as wide as its feed-forward network, and a
// language model.
func voxtral(b *Build) {
	audioConfig := b.Part("audio_config", "voxtral_encoder", "")
	text := b.Part("text_config", "llama", `{"vocab_size": 131072, "hidden_size": 3072,
		"intermediate_size": 8192, "num_hidden_layers": 30, "num_key_value_heads": 8, "max_position_embeddings": 131072,
		"rope_theta": 100000000.0, "head_dim": 128}`)
	x := whisperTower(b.Scope("model.audio_tower").With(audioConfig), nil)
	width, dim := audioConfig.Size("intermediate_size"), text.Size("hidden_size")
	count := audioConfig.Size("max_source_positions") * audioConfig.Size("hidden_size") / width
	x = stack.Projector(b, stack.Stack(b.Scope("model.multi_modal_projector"), x, count, width), width, dim, dim,
		false, b.Str("projector_hidden_act"))
	stack.Listen(b, text, x)
}

// whisperTower is Whisper's encoder as a part. pool, where given, stands ahead of its last norm.
func whisperTower(b *Build, pool func(b *Build, x Node) Node) Node {
	s := whisper(b).Filled()
	s.Encoded = pool
	x := s.Source(b)
	return stack.EncodeHere(b, s, x)
}
