package hf

import (
	"strings"
	"testing"
)

// TestOnlyNearNamesAreOffered: a name that has nothing in common with one that is modelled is no hint.
func TestOnlyNearNamesAreOffered(t *testing.T) {
	for name, want := range map[string]string{"lama": "llama", "gpt3": "gpt2", "qwen9_moe": "qwen2_moe", "mixtrall": "mixtral", "timm_wrapper": "", "zzz": "", "": "", "x": "", strings.Repeat("llama", 20): ""} {
		_, err := Import([]byte(`{"model_type":"`+name+`"}`), Options{})
		if err == nil {
			t.Fatalf("%q is modelled", name)
		}
		switch offers := strings.Contains(err.Error(), "the nearest that are: "); {
		case offers != (want != ""), !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %q", name, err, want)
		case !offers && name != "" && !strings.Contains(err.Error(), "none that is has a similar name"):
			t.Errorf("%q: %v says nothing of names", name, err)
		}
	}
}
