package facts_test

import (
	"reflect"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// imported gathers the facts of a config.json, with the config member and without.
func imported(t *testing.T, config string) (with, without facts.Facts) {
	t.Helper()
	m, err := hf.Import([]byte(config), hf.Options{SeqLen: 16})
	if err != nil {
		t.Fatal(err)
	}
	m.Graph.Normalize(catalog.Vocabulary)
	res := infer.Walk(m.Graph)
	with = facts.Of(res)
	m.Graph.Extra = nil
	return with, facts.Of(res)
}

func TestFactsOfConfigs(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		want   facts.Facts
	}{
		"llama": {`{"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_size":64,"intermediate_size":160,"num_hidden_layers":3,"num_attention_heads":8,
			"num_key_value_heads":2,"vocab_size":300,"max_position_embeddings":512,"rope_theta":10000.0,"tie_word_embeddings":false,"torch_dtype":"bfloat16",
			"rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":128}}`,
			facts.Facts{ModelType: "llama", Architectures: []string{"LlamaForCausalLM"}, Hidden: 64, Layers: 3, Heads: 8, KVHeads: 2, HeadDim: 8, Intermediate: 160, Vocab: 300,
				Positions: 512, PositionKind: "rope", Rope: facts.Rope{"llama3", 8, 128, 10000}, AttentionLayers: 3, Dtype: "bfloat16", TiedKnown: true}},
		"mixtral": {`{"model_type":"mixtral","architectures":["MixtralForCausalLM"],"hidden_size":64,"intermediate_size":160,"num_hidden_layers":2,"num_attention_heads":4,
			"num_key_value_heads":2,"vocab_size":300,"num_local_experts":4,"num_experts_per_tok":2,"tie_word_embeddings":false,"max_position_embeddings":64,"rope_theta":1e6,"sliding_window":null}`,
			facts.Facts{ModelType: "mixtral", Architectures: []string{"MixtralForCausalLM"}, Hidden: 64, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 16, Intermediate: 160, Vocab: 300, Experts: 4,
				ExpertsPerToken: 2, ExpertIntermediate: 160, Positions: 64, PositionKind: "rope", Rope: facts.Rope{Theta: 1e6}, AttentionLayers: 2, ExpertLayers: 2, TiedKnown: true}},
		"gpt2": {`{"model_type":"gpt2","architectures":["GPT2LMHeadModel"],"n_embd":48,"n_layer":2,"n_head":4,"vocab_size":100,"n_positions":32}`,
			facts.Facts{ModelType: "gpt2", Architectures: []string{"GPT2LMHeadModel"}, Hidden: 48, Layers: 2, Heads: 4, KVHeads: 4, HeadDim: 12, Intermediate: 192, Vocab: 100,
				Positions: 32, PositionKind: "learned", AttentionLayers: 2, Tied: true, TiedKnown: true}},
	} {
		got, _ := imported(t, c.config)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestComponentsSayWhatTheConfigSays(t *testing.T) {
	for _, kind := range []string{
		`{"model_type":"llama","architectures":["LlamaForCausalLM"]}`, `{"model_type":"qwen3","architectures":["Qwen3ForCausalLM"]}`, `{"model_type":"mixtral","architectures":["MixtralForCausalLM"]}`,
		`{"model_type":"deepseek_v3","architectures":["DeepseekV3ForCausalLM"]}`, `{"model_type":"gpt_neox","architectures":["GPTNeoXForCausalLM"]}`, `{"model_type":"phi3","architectures":["Phi3ForCausalLM"]}`,
	} {
		_, f := imported(t, kind)
		if f.Hidden == 0 || f.Layers == 0 || f.Heads == 0 || f.KVHeads == 0 || f.Vocab == 0 || f.Intermediate+f.ExpertIntermediate == 0 {
			t.Errorf("%s: %+v", kind, f)
		}
	}
}

// Which layers have the window is in the graph, not in the configurations of most families; a vision tower has layers of its own.
func TestLayersWithAWindowAreCounted(t *testing.T) {
	tower := `"vision_config":{"model_type":"siglip_vision_model","hidden_size":48,"image_size":28,"intermediate_size":64,"num_attention_heads":4,"num_hidden_layers":3,"patch_size":14}`
	for config, want := range map[string][2]int64{
		`{"model_type":"gemma2","architectures":["Gemma2ForCausalLM"],"num_hidden_layers":6,"sliding_window":64}`:                                                                       {6, 3},
		`{"model_type":"gemma3_text","architectures":["Gemma3ForCausalLM"],"num_hidden_layers":12,"sliding_window":64}`:                                                                 {12, 10},
		`{"model_type":"mistral","architectures":["MistralForCausalLM"],"num_hidden_layers":4,"sliding_window":64}`:                                                                     {4, 4},
		`{"model_type":"mistral","architectures":["MistralForCausalLM"],"num_hidden_layers":4,"sliding_window":null}`:                                                                   {4, 0},
		`{"model_type":"cohere2","architectures":["Cohere2ForCausalLM"],"num_hidden_layers":8,"sliding_window":64}`:                                                                     {8, 6},
		`{"model_type":"qwen2","architectures":["Qwen2ForCausalLM"],"num_hidden_layers":4,"use_sliding_window":true,"sliding_window":64,"max_window_layers":3}`:                         {4, 1},
		`{"model_type":"gemma3","architectures":["Gemma3ForConditionalGeneration"],"text_config":{"model_type":"gemma3_text","num_hidden_layers":6,"sliding_window":64},` + tower + `}`: {6, 5},
	} {
		if got, _ := imported(t, config); got.AttentionLayers != want[0] || got.SlidingLayers != want[1] {
			t.Errorf("%s: %d layers with attention, %d with a window; want %v", config, got.AttentionLayers, got.SlidingLayers, want)
		}
	}
}

func TestAGraphOfOneLinearLayerHasNoFacts(t *testing.T) {
	g, err := graph.Parse("x: input shape=[8]\na: linear outFeatures=4\no: output\nx -> a -> o")
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	if f := facts.Of(infer.Walk(g)); !reflect.DeepEqual(f, facts.Facts{}) {
		t.Errorf("%+v", f)
	}
}

// FuzzConfig reads any text as the config member. Nothing may panic, and no fact is negative.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{`{}`, `{"hidden_size":-1,"num_hidden_layers":1e300}`, `{"text_config":{"text_config":{"head_dim":8}},"layer_types":[1,"sliding_attention"]}`,
		`{"quantization_config":{"config_groups":{"group_0":{"weights":{"num_bits":4}}},"weight_block_size":[128,"x"]}}`, `[]`, `{"rope_scaling":{"factor":1e400}}`} {
		f.Add(s)
	}
	g, err := graph.Parse("x: input shape=[8]\na: linear outFeatures=4\no: output\nx -> a -> o")
	if err != nil {
		f.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	f.Fuzz(func(t *testing.T, text string) {
		res.Graph.Extra = []graph.Member{{Name: "config", Raw: text}}
		v := reflect.ValueOf(facts.Of(res))
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Int64 && v.Field(i).Int() < 0 {
				t.Fatalf("%s is %d of %s", v.Type().Field(i).Name, v.Field(i).Int(), text)
			}
		}
	})
}
