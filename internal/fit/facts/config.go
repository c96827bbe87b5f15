package facts

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// config is an object of config.json.
type config map[string]any

// configOf returns the config.json that an importer kept, nil where there is none.
func configOf(g *graph.Graph) config { return g.Config() }

// positive returns the first of some keys that has a whole number above zero.
func (c config) positive(keys ...string) int64 {
	for _, k := range keys {
		if n, ok := number(c[k]); ok && n > 0 {
			return n
		}
	}
	return 0
}

// number reads a whole number, one that is written with a point among them.
func number(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return i, true
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

func (c config) float(keys ...string) float64 {
	for _, k := range keys {
		if n, ok := c[k].(json.Number); ok {
			if f, err := n.Float64(); err == nil && !math.IsInf(f, 0) {
				return f
			}
		}
	}
	return 0
}

func (c config) str(keys ...string) string {
	for _, k := range keys {
		if s, ok := c[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

func (c config) object(keys ...string) config {
	for _, k := range keys {
		if o, ok := c[k].(map[string]any); ok {
			return o
		}
	}
	return nil
}

func (c config) list(key string) []any {
	l, _ := c[key].([]any)
	return l
}

// textual are the names under which configs of several parts keep the one of the language model.
var textual = []string{"text_config", "llm_config", "language_config", "thinker_config", "decoder"}

func (f *Facts) fromConfig(top config) {
	f.ModelType = top.str("model_type")
	for _, a := range top.list("architectures") {
		if s, ok := a.(string); ok {
			f.Architectures = append(f.Architectures, s)
		}
	}
	text := textOf(top)
	f.sizes(text)
	f.experts(text)
	f.positions(text)
	f.storage(top, text)
	f.vision(top)
	f.EncoderDecoder, _ = top["is_encoder_decoder"].(bool)
	for _, c := range []config{top, text} {
		if tied, ok := c["tie_word_embeddings"].(bool); ok && !f.TiedKnown {
			f.Tied, f.TiedKnown = tied, true
		}
	}
}

// sizes reads widths and counts, under the names that families have given them.
func (f *Facts) sizes(c config) {
	f.Hidden = c.positive("hidden_size", "n_embd", "d_model", "dim", "model_dim")
	f.Layers = c.positive("num_hidden_layers", "n_layer", "num_layers", "n_layers", "decoder_layers")
	f.Heads = c.positive("num_attention_heads", "n_head", "num_heads", "n_heads", "decoder_attention_heads")
	f.KVHeads = c.positive("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num", "n_kv_heads")
	if many, _ := c["multi_query"].(bool); many && c["new_decoder_architecture"] != true && f.KVHeads == 0 {
		f.KVHeads = 1
	}
	if a := c.object("attn_config"); a != nil && f.KVHeads == 0 { // mpt, dbrx
		f.KVHeads = a.positive("kv_n_heads")
	}
	f.HeadDim = c.positive("head_dim", "d_kv", "kv_channels")
	f.Intermediate = c.positive("intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size", "decoder_ffn_dim")
	f.Vocab = c.positive("vocab_size", "n_vocab", "padded_vocab_size")
	f.KVLoraRank, f.QLoraRank = c.positive("kv_lora_rank"), c.positive("q_lora_rank")
	f.QKNopeHeadDim, f.QKRopeHeadDim, f.VHeadDim = c.positive("qk_nope_head_dim"), c.positive("qk_rope_head_dim"), c.positive("v_head_dim")
}

func (f *Facts) experts(c config) {
	f.Experts = c.positive("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "num_routed_experts")
	f.ExpertsPerToken = c.positive("num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_topk", "moe_k", "top_k_experts", "num_selected_experts")
	f.ExpertIntermediate = c.positive("moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size")
	f.SharedExperts = c.positive("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
	f.SharedIntermediate = c.positive("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size")
	if a := c.object("ffn_config"); a != nil && f.Experts == 0 { // dbrx
		f.Experts, f.ExpertsPerToken, f.ExpertIntermediate = a.positive("moe_num_experts"), a.positive("moe_top_k"), a.positive("ffn_hidden_size")
	}
	if f.SharedIntermediate == 0 && f.SharedExperts > 0 && f.ExpertIntermediate > 0 && f.SharedExperts < math.MaxInt32 && f.ExpertIntermediate < math.MaxInt32 {
		f.SharedIntermediate = f.SharedExperts * f.ExpertIntermediate
	}
}

func (f *Facts) positions(c config) {
	f.Positions = c.positive("max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length", "seq_length", "n_ctx", "max_target_positions", "model_max_length")
	f.Rope.Theta = c.float("rope_theta", "rotary_emb_base")
	if r := c.object("rope_scaling", "rope_parameters"); r != nil {
		if full := r.object("full_attention"); full != nil { // one set for each kind of layer
			r = full
		}
		f.Rope.Type = r.str("rope_type", "type")
		if f.Rope.Type == "default" {
			f.Rope.Type = ""
		}
		f.Rope.Factor, f.Rope.Original = r.float("factor"), r.positive("original_max_position_embeddings")
		if t := r.float("rope_theta"); t > 0 {
			f.Rope.Theta = t
		}
	}
	if f.Rope.Original == 0 {
		f.Rope.Original = c.positive("original_max_position_embeddings")
	}
	if f.Rope.Theta > 0 || f.Rope.Type != "" {
		f.PositionKind = "rope"
	}
	if alibi, _ := c["alibi"].(bool); alibi {
		f.PositionKind = "alibi"
	}
	f.SlidingWindow = c.positive("sliding_window", "sliding_window_size", "attention_window_size")
	if use, given := c["use_sliding_window"].(bool); given && !use {
		f.SlidingWindow = 0
	}
	f.layerKinds(c)
}

// layerKinds counts what layer_types lists.
func (f *Facts) layerKinds(c config) {
	for _, kind := range c.list("layer_types") {
		switch s, _ := kind.(string); {
		case s == "sliding_attention" || s == "chunked_attention":
			f.SlidingLayers++
			f.AttentionLayers++
		case s == "linear_attention" || strings.Contains(s, "mamba") || s == "recurrent" || s == "conv":
			f.RecurrentLayers++
		case strings.HasSuffix(s, "attention"):
			f.AttentionLayers++
		}
	}
	if f.SlidingWindow == 0 {
		f.SlidingLayers = 0
	}
}

// storage reads how weights are stored.
func (f *Facts) storage(top, text config) {
	f.Dtype = dtype(top, text)
	q := top.object("quantization_config")
	if q == nil {
		q = text.object("quantization_config")
	}
	if q == nil {
		return
	}
	f.Quant.Method = strings.ToLower(q.str("quant_method", "quant_algo"))
	f.Quant.Bits, f.Quant.GroupSize = q.positive("bits", "w_bit", "weight_bits"), q.positive("group_size", "q_group_size")
	for _, n := range q.list("weight_block_size") {
		if v, ok := number(n); ok && v > 0 {
			f.Quant.Block = append(f.Quant.Block, v)
		}
	}
	f.quantised(q)
}

// quantised reads what methods say in words of their own.
func (f *Facts) quantised(q config) {
	four, _ := q["load_in_4bit"].(bool)
	eight, _ := q["load_in_8bit"].(bool)
	switch {
	case four:
		f.Quant.Bits = 4
	case eight || f.Quant.Bits == 0 && strings.HasPrefix(f.Quant.Method, "fp8"):
		f.Quant.Bits = 8
	case f.Quant.Bits == 0 && (f.Quant.Method == "mxfp4" || f.Quant.Method == "nvfp4"):
		f.Quant.Bits = 4
	}
	group := q.object("config_groups").object("group_0").object("weights") // compressed-tensors
	if f.Quant.Bits == 0 {
		f.Quant.Bits = group.positive("num_bits")
	}
	if f.Quant.GroupSize == 0 {
		f.Quant.GroupSize = group.positive("group_size")
	}
}

// vision reads what an image must look like, and how many classes there are.
func (f *Facts) vision(top config) {
	c := top
	if v := top.object("vision_config"); v != nil {
		c = v
	}
	f.ImageSize, f.PatchSize, f.Channels = c.positive("image_size", "img_size"), c.positive("patch_size"), c.positive("num_channels", "in_channels", "in_chans")
	if f.PatchSize > 0 && f.Channels == 0 && top["model_type"] == nil {
		f.Channels = 3
	}
	if n := top.positive("num_labels"); n > 0 {
		f.Labels = n
	} else {
		f.Labels = int64(len(top.object("id2label")))
	}
}
