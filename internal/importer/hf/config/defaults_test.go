package config

import (
	"strings"
	"testing"
)

// TestDefaultsAreRead checks that every file of defaults parses, and that those of its parts are there.
func TestDefaultsAreRead(t *testing.T) {
	entries, err := defaultFiles.ReadDir("defaults")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".json")
		c, ok := ClassOf(name)
		if !ok || c.Class == "" || len(c.Fields) == 0 {
			t.Errorf("%s holds no class with fields", e.Name())
		}
		for _, part := range SortedKeys(c.Sub) {
			if _, ok := ClassOf(c.Sub[part]); !ok {
				t.Errorf("%s: the defaults of its %s, %s, are not there", name, part, c.Sub[part])
			}
		}
	}
}
