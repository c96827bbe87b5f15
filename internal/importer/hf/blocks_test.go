package hf

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// TestAttentionInBlocksCountsNoOtherScores: a text of twice the length has twice the scores.
func TestAttentionInBlocksCountsNoOtherScores(t *testing.T) {
	for _, config := range []string{
		`{"model_type": "longt5", "local_radius": 15}`,
		`{"model_type": "pegasus_x", "block_size": 32, "num_global_tokens": 8, "stagger_local_blocks": false}`,
	} {
		short, long := blockScores(t, config, 256), blockScores(t, config, 512)
		if short == 0 || long != 2*short {
			t.Errorf("%s: %d operations for the scores of 256 positions, %d for those of 512", config, short, long)
		}
		if short = blockScores(t, config, 250); short == 0 || 2*short != long { // filled up
			t.Errorf("%s: %d operations for the scores of 250 positions", config, short)
		}
	}
}

// blockScores is what the local attention of an encoder computes.
func blockScores(t *testing.T, config string, length int64) (flops int64) {
	t.Helper()
	m, err := Import([]byte(config), Options{SeqLen: length})
	if err != nil {
		t.Fatal(err)
	}
	m.Graph.Normalize(catalog.Vocabulary)
	res := infer.Walk(m.Graph)
	for _, r := range res.Refusals {
		t.Errorf("%s: %s", res.Nodes[r.Node].Component.ID, r.Message)
	}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Type.ID != "attentionCore" {
			continue
		}
		if strings.Contains(n.Component.ID, "encoder.") && n.In[0][0] == 32 || n.In[0][0] == 16 {
			flops += n.FLOPs
		}
	}
	return flops
}

// TestAWindowOfTwoPositions: transformers builds such a model, whose band is then one position wide on each side, and fails to run it.
func TestAWindowOfTwoPositions(t *testing.T) {
	for config, runs := range map[string]bool{
		`{"model_type": "led", "attention_window": 2}`:                                     false,
		`{"model_type": "led", "encoder_layers": 2, "attention_window": [4, 2]}`:           false,
		`{"model_type": "led", "attention_window": 4}`:                                     true,
		`{"model_type": "longformer", "attention_window": 2}`:                              false,
		`{"model_type": "longformer", "num_hidden_layers": 2, "attention_window": [4, 8]}`: true,
	} {
		m, err := Import([]byte(config), Options{SeqLen: 16})
		if err != nil {
			t.Fatal(err)
		}
		m.Graph.Normalize(catalog.Vocabulary)
		if got := len(infer.Walk(m.Graph).Refusals) == 0; got != runs {
			t.Errorf("%s: runs: %t, want %t", config, got, runs)
		}
	}
}

func TestADecoderAloneReadsNoEncoder(t *testing.T) {
	m, err := Import([]byte(`{"model_type": "bart", "architectures": ["BartForCausalLM"], "decoder_layers": 2, "dropout": 0.1, "activation_dropout": 0}`), Options{SeqLen: 32})
	if err != nil {
		t.Fatal(err)
	}
	inputs, looks, drops := 0, 0, 0
	for _, c := range m.Graph.Components {
		switch c.Type {
		case "input":
			inputs++
		case "crossAttention":
			looks++
		case "dropout":
			drops++
		}
	}
	if inputs != 1 || looks != 0 || drops != 1+2*2 { // behind the embedding, and behind both branches of a layer
		t.Errorf("%d inputs, %d looks at an encoder, %d dropouts", inputs, looks, drops)
	}
}
