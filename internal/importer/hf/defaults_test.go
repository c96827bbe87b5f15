package hf

import (
	"strings"
	"testing"
)

// TestDefaultsAreRead checks that every file of defaults parses and belongs to a model type or a part of one.
func TestDefaultsAreRead(t *testing.T) {
	entries, err := defaultFiles.ReadDir("defaults")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".json")
		c, ok := classOf(name)
		if !ok || c.Class == "" || len(c.Fields) == 0 {
			t.Errorf("%s holds no class with fields", e.Name())
		}
		for _, part := range sortedKeys(c.Sub) {
			if _, ok := classOf(c.Sub[part]); !ok {
				t.Errorf("%s: the defaults of its %s, %s, are not there", name, part, c.Sub[part])
			}
		}
	}
	for _, modelType := range ModelTypes() {
		if _, ok := classOf(modelType); !ok {
			t.Errorf("model type %s has no defaults", modelType)
		}
	}
}
