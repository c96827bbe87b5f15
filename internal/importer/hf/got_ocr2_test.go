package hf

import (
	"fmt"
	"strings"
	"testing"
)

// TestAHeadOfSAMHasFeatures: GotOcr2VisionAttention computes head_dim**-0.5 when it is constructed, which transformers 5.17.0 raises a
// ZeroDivisionError for where there are more heads than features, also if no picture is read.
func TestAHeadOfSAMHasFeatures(t *testing.T) {
	for heads, want := range map[int]string{32: "", 33: "num_attention_heads: is 33 but must be at most hidden_size, 32"} {
		config := fmt.Sprintf(`{"model_type":"got_ocr2","vision_config":{"hidden_size":32,"num_attention_heads":%d,"num_hidden_layers":1,"mlp_dim":64,"image_size":256,"output_channels":16},
			"text_config":{"model_type":"qwen2","vocab_size":200,"hidden_size":32,"intermediate_size":64,"num_hidden_layers":1,"num_attention_heads":4,"num_key_value_heads":2}}`, heads)
		for _, text := range []bool{false, true} {
			_, err := Import([]byte(config), Options{SeqLen: 16, Text: text})
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%d heads, text alone %v: %v, want %q", heads, text, err, want)
			}
		}
	}
}
