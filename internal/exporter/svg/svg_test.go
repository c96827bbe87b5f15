package svg

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/scene/place"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func draw(t testing.TB, g *graph.Graph) string {
	t.Helper()
	g.Normalize(catalog.Vocabulary)
	s, err := scene.Of(infer.Walk(g))
	if err != nil {
		t.Fatal(err)
	}
	return Draw(s)
}

func model(t testing.TB, file string) *graph.Graph {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Parse(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// elements reads a picture as XML and calls f with every element. It fails on anything that is no drawing.
func elements(t testing.TB, text string, f func(xml.StartElement)) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	allowed := " svg title desc style defs marker path rect text tspan "
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if !strings.Contains(allowed, " "+e.Name.Local+" ") {
				t.Fatalf("has a %s", e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Fatalf("%s has %s", e.Name.Local, a.Name.Local)
				}
			}
			f(e)
		case xml.ProcInst, xml.Directive, xml.Comment:
			t.Fatalf("has a %T", tok)
		}
	}
}

func TestModelsAreDrawnAsTheGoldensSay(t *testing.T) {
	for _, name := range []string{"resnet18", "gpt2-small", "unet-small", "two-tower"} {
		file := "../../../models/" + name + ".graph"
		got, golden := draw(t, model(t, file)), filepath.Join("testdata", name+".svg")
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
			t.Errorf("%s differs from %s; run with -update and look at the picture", name, golden)
		}
		if again := draw(t, model(t, file)); again != got {
			t.Errorf("%s is drawn in two ways", name)
		}
	}
}

func TestEveryModelIsAWellFormedPictureWithATitle(t *testing.T) {
	files, err := filepath.Glob("../../../models/*.graph")
	if err != nil || len(files) == 0 {
		t.Fatal("no models", err)
	}
	for _, file := range files {
		text, seen := draw(t, model(t, file)), map[string]int{}
		elements(t, text, func(e xml.StartElement) { seen[e.Name.Local]++ })
		if seen["title"] != 1 || seen["desc"] != 1 || seen["rect"] < 3 {
			t.Errorf("%s has %v", file, seen)
		}
		if !strings.Contains(text, "prefers-color-scheme:dark") {
			t.Errorf("%s has no dark colours", file)
		}
	}
}

// TestTheTitleFitsIntoThePicture: it is in bold letters, and may be wider than all that is below it. 8.9 pixels are what a letter of
// DejaVu Sans Bold takes on average at this size, the widest of the fonts that are asked for.
func TestTheTitleFitsIntoThePicture(t *testing.T) {
	g := &graph.Graph{Name: "Photos in ten classes", Components: []graph.Component{{ID: "x", Type: "input"}, {ID: "y", Type: "output"}}}
	text := draw(t, g)
	var width, x int
	if _, err := fmt.Sscanf(text[strings.Index(text, ` width="`):], ` width="%d"`, &width); err != nil {
		t.Fatal(err)
	}
	head := text[strings.Index(text, `<text class="h"`):]
	if _, err := fmt.Sscanf(head, `<text class="h" x="%d"`, &x); err != nil {
		t.Fatal(err)
	}
	letters := len([]rune(head[strings.Index(head, ">")+1 : strings.Index(head, "</text>")]))
	if need := x + letters*89/10; width < need {
		t.Errorf("the picture is %d pixels wide, and its title ends at about %d", width, need)
	}
}

func TestBoxesDoNotOverlap(t *testing.T) {
	files, _ := filepath.Glob("../../../models/*.graph") // the pattern is right
	for _, file := range files {
		g := model(t, file)
		g.Normalize(catalog.Vocabulary)
		s, err := scene.Of(infer.Walk(g))
		if err != nil {
			t.Fatal(err)
		}
		checkOverlap(t, file, style.Layout(s.Root))
	}
}

func checkOverlap(t *testing.T, file string, b *place.Box) {
	t.Helper()
	for i, x := range b.Kids {
		if x.X < 0 || x.Y < 0 || x.X+x.W > b.W || x.Y+x.H > b.H {
			t.Errorf("%s: box %d at %d,%d of %d×%d leaves its group of %d×%d", file, i, x.X, x.Y, x.W, x.H, b.W, b.H)
		}
		for j, y := range b.Kids[:i] {
			if x.X < y.X+y.W && y.X < x.X+x.W && x.Y < y.Y+y.H && y.Y < x.Y+x.H {
				t.Errorf("%s: boxes %d and %d overlap", file, i, j)
			}
		}
		checkOverlap(t, file, x)
	}
}

// FuzzDraw holds that any names and any wiring of a few components give a well-formed drawing without anything active in it.
func FuzzDraw(f *testing.F) {
	f.Add("net", "a", []byte{0, 1, 1, 2, 0, 2})
	f.Add("</title><script>alert(1)</script>", `"/><script>`, []byte{0, 1, 1, 2, 2, 3, 3, 4, 0, 4, 0, 3})
	f.Add("\x00\u202e&", "h0_a<b>", []byte{3, 1, 1, 3, 0, 0})
	f.Fuzz(func(t *testing.T, name, label string, wires []byte) {
		g := &graph.Graph{Name: name}
		types := []string{"input", "linear", "relu", "add", "concatenate", "output", label}
		for i := range 12 {
			id := string(rune('a' + i))
			g.Components = append(g.Components, graph.Component{ID: id, Type: types[i%len(types)], Name: label[:min(len(label), i)] + id, Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(4)}, {Name: "outFeatures", Value: graph.IntValue(4)}}})
		}
		for i := 0; i+1 < len(wires) && i < 60; i += 2 {
			g.Connections = append(g.Connections, graph.Connection{From: string(rune('a' + wires[i]%12)), To: string(rune('a' + wires[i+1]%12))})
		}
		text := draw(t, g)
		elements(t, text, func(xml.StartElement) {})
	})
}
