package hf

import (
	"strings"
	"testing"
)

func TestLukeReadsTokensAlone(t *testing.T) {
	m, err := Import([]byte(`{"model_type": "luke", "entity_vocab_size": 100, "num_hidden_layers": 1}`), Options{SeqLen: 32})
	if err != nil {
		t.Fatal(err)
	}
	inputs, outputs, queries := 0, 0, 0
	for _, c := range m.Graph.Components {
		switch {
		case c.Type == "input":
			inputs++
		case c.Type == "output":
			outputs++
		case c.Type == "parameter" && strings.Contains(c.ID, "2e_query"), c.Type == "parameter" && strings.Contains(c.ID, "e2w_query"):
			queries++
		}
	}
	if inputs != 1 || outputs != 1 || queries != 6 {
		t.Errorf("%d inputs, %d outputs and %d tensors of queries for entities, want 1, 1 and 6", inputs, outputs, queries)
	}
}

func TestDogeCopiesItsMaskOnlyWhereItMust(t *testing.T) {
	for config, want := range map[string]bool{
		`{"model_type": "doge", "num_hidden_layers": 1}`:                                                     true,
		`{"model_type": "doge", "num_hidden_layers": 1, "num_attention_heads": 8, "num_key_value_heads": 2}`: false,
		`{"model_type": "doge", "num_hidden_layers": 1, "keep_window_size": 16}`:                             false,
	} {
		m, err := Import([]byte(config), Options{SeqLen: 32})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range m.Graph.Components {
			if c.Type != "attentionCore" {
				continue
			}
			strided := false
			for _, e := range c.Extra {
				strided = strided || e.Name == "as" && strings.Contains(e.Raw, ".DogeAttention")
			}
			if strided != want {
				t.Errorf("%s: a mask with the heads last: %v, want %v", config, strided, want)
			}
		}
	}
}
