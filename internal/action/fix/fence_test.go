package fix

import (
	"testing"

	"github.com/modelverifier/verifier/internal/patch"
)

// TestAFenceIsInNoFile also where a longer word begins with it.
func TestAFenceIsInNoFile(t *testing.T) {
	for text, want := range map[string]string{
		"": "#1", "=== END OF FILE #2": "#1", "=== END OF FILE #1": "#2", "=== END OF FILE #12 a\n=== END OF FILE #2b": "#3", "=== END OF FILE #=== END OF FILE #1": "#2",
		"=== END OF FILE # 1": "#1", "=== END OF FILE #999999999999999999999": "#1", "=== END OF FILE #01": "#1",
	} {
		if got := fence([]patch.File{{Path: "a", Text: "x"}, {Path: "b", Text: text}}); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
