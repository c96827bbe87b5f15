package graph

import (
	"strings"
	"testing"
)

const commented = `# a small net
graph "net"

x: input shape=[8]        // features
a "first": linear outFeatures=16 bias=false  # wide
   b: linear   inFeatures=15   outFeatures=4
o: output

x -> a -> b   // the trunk
b -> o
`

func edited(t *testing.T, change func(*Graph)) *Graph {
	t.Helper()
	g, err := Parse(commented)
	if err != nil {
		t.Fatal(err)
	}
	change(g)
	return g
}

func TestPatchTextTouchesOnlyTheLinesThatItMust(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*Graph)
		from, to string
	}{
		"a value":       {func(g *Graph) { g.Components[2].SetParam("inFeatures", IntValue(16)) }, "inFeatures=15 ", "inFeatures=16 "},
		"a new one":     {func(g *Graph) { g.Components[1].SetParam("dtype", StringValue("fp 16")) }, "bias=false  #", "bias=false dtype=\"fp 16\"  #"},
		"one gone":      {func(g *Graph) { g.Components[1].Params = g.Components[1].Params[:1] }, "outFeatures=16 bias=false  #", "outFeatures=16  #"},
		"a component":   {func(g *Graph) { g.Components = append(g.Components, Component{ID: "n", Type: "relu"}) }, "o: output\n", "o: output\nn: relu\n"},
		"a connection":  {func(g *Graph) { g.Connections = append(g.Connections, Connection{From: "x", To: "b"}) }, "b -> o\n", "b -> o\nx -> b\n"},
		"an edge gone":  {func(g *Graph) { g.Connections = append(g.Connections[:1:1], g.Connections[2:]...) }, "x -> a -> b   // the trunk\n", "// the trunk\nx -> a\n"},
		"another type":  {func(g *Graph) { g.Components[1].Type = "conv1d" }, "a \"first\": linear outFeatures=16 bias=false  # wide", "a \"first\": conv1d outFeatures=16 bias=false  # wide"},
		"nothing":       {func(*Graph) {}, "", ""},
		"a member gone": {func(g *Graph) { g.Components, g.Connections = g.Components[:3:3], g.Connections[:2:2] }, "o: output\n\nx -> a -> b   // the trunk\nb -> o\n", "\nx -> a -> b   // the trunk\n"},
	} {
		got, ok := PatchText(commented, edited(t, c.change))
		if want := strings.Replace(commented, c.from, c.to, 1); !ok || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, ok, got, want)
		}
	}
}

func TestPatchTextRefusesWhatItCannotSay(t *testing.T) {
	g := edited(t, func(g *Graph) { g.Connections[0], g.Connections[2] = g.Connections[2], g.Connections[0] })
	if got, ok := PatchText(commented, g); ok {
		t.Errorf("got %s", got)
	}
}

func TestPatchJSONKeepsHowAFileIsWritten(t *testing.T) {
	const text = "{\n  \"components\": [ {\"id\":\"x\", \"type\":\"input\", \"params\":{ \"shape\" : [8] }},\n" +
		"    {\"id\": \"a\",\n     \"type\": \"linear\",\n     \"params\": {\n        \"inFeatures\": 15,\n        \"outFeatures\": 4\n     }} ],\n\n  \"connections\": [{\"from\":\"x\",\"to\":\"a\"}]\n}\n"
	g, err := Decode([]byte(text), "", LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	g.Components[1].SetParam("inFeatures", IntValue(16))
	g.Components[1].SetParam("bias", BoolValue(false))
	got, ok := PatchJSON([]byte(text), g)
	want := strings.Replace(strings.Replace(text, "15", "16", 1), "\"outFeatures\": 4", "\"outFeatures\": 4,\n        \"bias\": false", 1)
	if !ok || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", ok, got, want)
	}
	g.Components = g.Components[:1]
	if _, ok := PatchJSON([]byte(text), g); ok {
		t.Error("a component is gone")
	}
}

func FuzzPatch(f *testing.F) {
	f.Add(commented, "inFeatures", int64(3))
	f.Fuzz(func(t *testing.T, text, param string, n int64) {
		g, err := Parse(text)
		if err != nil || len(g.Components) == 0 {
			return
		}
		g.Components[len(g.Components)-1].SetParam(param, IntValue(n))
		PatchText(text, g)
		data := g.AppendJSON(nil)
		if back, err := Decode(data, "", LocalLimits); err == nil {
			back.Components[0].SetParam(param, IntValue(n))
			PatchJSON(data, back)
		}
	})
}
