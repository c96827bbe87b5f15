package graph

import (
	"strings"
	"testing"
)

// TestTheShortestMembersOfAConfigAreRead has more text in it than is read.
func TestTheShortestMembersOfAConfigAreRead(t *testing.T) {
	long := `"` + strings.Repeat("x", 200<<10) + `"`
	g := &Graph{Extra: []Member{{Name: "config", Raw: `{"d":` + long + `,"c":` + long + `,"b":` + long + `,"a":1}`}}}
	if got := g.Config(); len(got) != 3 || got["a"] == nil || got["b"] == nil || got["c"] == nil {
		t.Errorf("%d members are read", len(got))
	}
}
