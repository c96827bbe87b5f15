package mermaid

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func chart(t testing.TB, g *graph.Graph) string {
	t.Helper()
	g.Normalize(catalog.Vocabulary)
	s, err := scene.Of(infer.Walk(g))
	if err != nil {
		t.Fatal(err)
	}
	text, err := Chart(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// line is everything that a chart may have: numbered names, and labels in quotes without a quote in them.
var line = regexp.MustCompile(`^(---|title: "[^\n]*"|flowchart TD| *subgraph g\d+\["[^"]*"\]| *end| *n\d+\["[^"]*"\](:::\w+)?|    n\d+ --( "[^"]*" --)?> n\d+|    classDef \w+ [\w:#,]+|)$`)

func check(t testing.TB, text string) {
	t.Helper()
	for l := range strings.SplitSeq(text, "\n") {
		if !line.MatchString(l) {
			t.Fatalf("%q is no line of a chart in\n%s", l, text)
		}
	}
}

func TestModelsAreWrittenAsTheGoldensSay(t *testing.T) {
	goldens, err := filepath.Glob("testdata/*.mmd")
	if err != nil || len(goldens) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, golden := range goldens {
		file := filepath.Join("../../../models", strings.TrimSuffix(filepath.Base(golden), ".mmd")+".graph")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.Parse(string(data))
		if err != nil {
			t.Fatal(err)
		}
		got := chart(t, g)
		check(t, got)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s; run with -update and look at the diff", file, golden)
		}
	}
}

func TestHostileNamesStayText(t *testing.T) {
	name := "\"]\n    click n0 \"https://example.org\"\n%%{init: {}}%% <script>"
	g := &graph.Graph{Name: name, Components: []graph.Component{
		{ID: "x", Type: "input", Name: name, Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(4)}}},
		{ID: "r", Type: "relu", Name: name}, {ID: "y", Type: name, Name: name},
	}, Connections: []graph.Connection{{From: "x", To: "r"}, {From: "r", To: "y"}}}
	text := chart(t, g)
	check(t, text)
	if strings.Contains(text, "<script>") {
		t.Errorf("a tag is left in\n%s", text)
	}
}

func TestTooManyConnectionsAreRefused(t *testing.T) {
	g := &graph.Graph{}
	add := func(id, typ string) {
		g.Components = append(g.Components, graph.Component{ID: id, Type: typ, Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(4)}}})
	}
	for i := range 40 {
		add("in"+string(rune('0'+i)), "input")
	}
	for i := range 40 {
		to := "add" + string(rune('0'+i))
		add(to, "add")
		for k := range i + 1 { // no two alike, so that none is folded
			g.Connections = append(g.Connections, graph.Connection{From: "in" + string(rune('0'+k)), To: to})
		}
	}
	g.Normalize(catalog.Vocabulary)
	s, err := scene.Of(infer.Walk(g))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Chart(s); err == nil || !strings.Contains(err.Error(), "more than 500 connections") {
		t.Errorf("the error is %v", err)
	}
}
