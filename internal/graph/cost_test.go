//go:build unix

package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hostile"
)

// file is the bar of a file's text of 8 MiB here: reading it is a part of what a file may cost.
var file = adversary.Cost{Seconds: 0.4, Bytes: hostile.MaxBytes}

// within fails where some work takes more than a bar.
func within(t *testing.T, what string, bar adversary.Cost, work func()) {
	t.Helper()
	if c := adversary.MeasureAgainst(t, bar, work); !c.Within(bar) {
		t.Errorf("%s: %.3f s, %d MB", what, c.Seconds, c.Bytes>>20)
	}
}

// TestMembersBehindAnArrowCostLittle writes a thousand members behind an arrow from twenty thousand components: a line of 47 kB.
func TestMembersBehindAnArrowCostLittle(t *testing.T) {
	members := ""
	for i := range 1000 {
		members += fmt.Sprintf(" @m%d=1", i)
	}
	line := func(sources int) string { return strings.Repeat("a,", sources-1) + "a -> z" + members }
	within(t, "an arrow", adversary.Bar, func() { _, _ = graph.ParseWithin(line(20_000), graph.ServiceLimits) })
	g, err := graph.ParseWithin(line(1000), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	first, last := g.Connections[0].Extra, g.Connections[999].Extra
	if len(first) != 1000 || &first[0] != &last[0] || cap(first) != len(first) {
		t.Errorf("the first connection has %d members, and the last does not share them", len(first))
	}
	_, err = graph.ParseWithin(line(20_000), graph.ServiceLimits)
	if err == nil || !strings.Contains(err.Error(), "more than 8388608 bytes that") {
		t.Errorf("twenty thousand connections with a thousand members each: %v", err)
	}
}

// TestManyMembersCostLittle writes as many members as there is room for.
func TestManyMembersCostLittle(t *testing.T) {
	members := ""
	for i := range graph.MaxKeys {
		members += fmt.Sprintf(" @m%d=1", i)
	}
	var text strings.Builder
	for i := range 900 {
		fmt.Fprintf(&text, "c%d: relu%s\n", i, members)
	}
	for name, line := range map[string]string{"m7": members + " @m7=2", "i": " @a=1 @b=1 @c=1 @d=1 @e=1 @f=1 @g=1 @h=1 @i=1 @j=1 @i=2", "b": " @a=1 @b=1 @b=2"} {
		_, err := graph.Parse("c: relu" + line)
		if err == nil || !strings.Contains(err.Error(), "the member @"+name+" is given twice") {
			t.Errorf("a member that is given twice: %v", err)
		}
	}
	within(t, fmt.Sprintf("%d bytes", text.Len()), file, func() { _, _ = graph.ParseWithin(text.String(), graph.ServiceLimits) })
}

// TestPatchesCostLittle changes graphs of as many connections and parameters as there is room for.
func TestPatchesCostLittle(t *testing.T) {
	var wires strings.Builder
	wires.WriteString("a: relu\nb: relu\n")
	wires.WriteString(strings.Repeat("a -> b\n", 20_000))
	var params strings.Builder
	for i := range 97 {
		fmt.Fprintf(&params, "c%d: relu", i)
		for k := range graph.MaxKeys {
			fmt.Fprintf(&params, " k%d=1", k)
		}
		params.WriteString("\n")
	}
	for _, text := range []string{wires.String(), params.String()} {
		g, err := graph.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		data := g.AppendJSON(nil)
		g.Components[1].SetParam("k1000", graph.IntValue(2))
		work := func() {
			if _, ok := graph.PatchText(text, g); !ok {
				t.Error("the text is not changed")
			}
		}
		within(t, fmt.Sprintf("a text of %d bytes", len(text)), file, work)
		if len(g.Connections) > 0 {
			continue // the JSON has no parameters that could be changed
		}
		work = func() {
			if _, ok := graph.PatchJSON(data, g); !ok {
				t.Error("the JSON is not changed")
			}
		}
		within(t, fmt.Sprintf("JSON of %d bytes", len(data)), file, work)
	}
}
