package hf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

const small = `"hidden_size":32,"intermediate_size":48,"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,"head_dim":8,` +
	`"num_local_experts":4,"moe_intermediate_size":16,"num_experts_per_tok":2,"vocab_size":100,"id2label":{"0":"a","1":"b","2":"c"}`

// TestHeadsStandOnTheBareModel checks that a class with a head has the tensors of the bare model, below its prefix, and those of the head.
func TestHeadsStandOnTheBareModel(t *testing.T) {
	for _, c := range []struct{ modelType, model, class, prefix, head string }{
		{"mistral", "MistralModel", "MistralForSequenceClassification", "model.", "score.weight[3 32]"},
		{"mistral", "MistralModel", "MistralForTokenClassification", "model.", "score.weight[3 32] score.bias[3]"},
		{"mixtral", "MixtralModel", "MixtralForQuestionAnswering", "model.", "qa_outputs.weight[2 32] qa_outputs.bias[2]"},
		{"qwen2", "Qwen2Model", "Qwen2ForQuestionAnswering", "transformer.", "qa_outputs.weight[2 32] qa_outputs.bias[2]"},
		{"qwen3_moe", "Qwen3MoeModel", "Qwen3MoeForCausalLM", "model.", "lm_head.weight[100 32]"},
		{"phi", "PhiModel", "PhiForCausalLM", "model.", "lm_head.weight[100 32] lm_head.bias[100]"},
	} {
		want := names(t, c.modelType, c.model, "")
		for i := range want {
			want[i] = c.prefix + want[i]
		}
		want = append(want, strings.Split(strings.ReplaceAll(c.head, "] ", "]|"), "|")...)
		if got := names(t, c.modelType, c.class, ""); !slices.Equal(got, want) {
			t.Errorf("%s has\n%v, not\n%v", c.class, got, want)
		}
	}
}

func names(t *testing.T, modelType, class, more string) []string {
	t.Helper()
	m, err := Import(fmt.Appendf(nil, `{"model_type":%q,"architectures":[%q],%s%s}`, modelType, class, small, more), Options{SeqLen: 16})
	if err != nil {
		t.Fatalf("%s: %v", class, err)
	}
	out := make([]string, len(m.Tensors))
	for i, x := range m.Tensors {
		out[i] = x.Name + fmt.Sprint(x.Shape)
	}
	return out
}

// TestListsOfLayersAreHeldToTheirNumber checks the lists that say what each layer is.
func TestListsOfLayersAreHeldToTheirNumber(t *testing.T) {
	for _, c := range []struct{ modelType, more, path string }{
		{"qwen2", `,"layer_types":["full_attention"]`, "config.layer_types"},
		{"olmo3", `,"layer_types":["full_attention","full_attention","sliding_attention"]`, "config.layer_types"},
		{"mellum", `,"mlp_layer_types":["dense"]`, "config.mlp_layer_types"},
		{"smollm3", `,"pad_token_id":0,"no_rope_layers":[1]`, "config.no_rope_layers"},
		{"granite_swa", `,"layer_rope_theta":[0]`, "config.layer_rope_theta"},
		{"stablelm", `,"num_attention_heads":5`, "config.hidden_size"},
		{"jetmoe", `,"num_experts_per_tok":5`, "config.num_experts_per_tok"},
		{"hy_v4", `,"pad_token_id":0,"indexer_types":["shared","full"]`, "config.indexer_types"},
	} {
		text := fmt.Sprintf(`{"model_type":%q,%s%s}`, c.modelType, small, c.more)
		_, err := Import([]byte(text), Options{SeqLen: 16})
		var fault *graph.Error
		if !errors.As(err, &fault) || fault.Code != CodeContradiction || fault.Path != c.path {
			t.Errorf("%s with %s: %v, want a contradiction at %s", c.modelType, c.more, err, c.path)
		}
	}
}

// TestAShareOfAHeadTurns checks how many features of heads with an odd number of them turn: the rest makes no model refused.
func TestAShareOfAHeadTurns(t *testing.T) {
	for _, c := range []struct {
		modelType, more string
		want            int64
	}{
		{"nemotron", `,"head_dim":17`, 8},
		{"nemotron", `,"head_dim":11`, 6}, // half of it is 5, and angles come in pairs
		{"phi", `,"head_dim":11`, 5},      // which phi does not allow for: rope refuses it
		{"phi", `,"head_dim":17,"partial_rotary_factor":0.25`, 4},
		{"phi", `,"head_dim":17,"rope_parameters":{"partial_rotary_factor":0.75}`, 12},
		{"minimax_m2", `,"head_dim":9`, 9},
	} {
		m, err := Import(fmt.Appendf(nil, `{"model_type":%q,%s%s}`, c.modelType, small, c.more), Options{SeqLen: 16})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for i := range m.Graph.Components {
			if comp := &m.Graph.Components[i]; comp.Type == "rope" {
				v, _ := comp.Param("headDim")
				found = true
				if v.Int() != c.want {
					t.Errorf("%s with %s turns %v features, not %d", c.modelType, c.more, v, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s with %s turns nothing by itself", c.modelType, c.more)
		}
	}
}
