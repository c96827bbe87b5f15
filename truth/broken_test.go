package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/importer/neurarch"
	"github.com/modelverifier/verifier/internal/importer/onnx"
	reader "github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/models"
)

// brokenVariable is how many broken graphs of each importer are drawn; `make loop` draws 500.
const brokenVariable = "VERIFIER_BROKEN"

// fewBroken is how many without it.
const fewBroken = 20

// leastMended is the share of graphs that must pass afterwards, in percent, of those whose one fault can be mended without knowing what was meant.
const leastMended = 90

// mendable are those faults.
var mendable = map[string]bool{"number": true, "batch": true, "flatten": true}

// TestLoopOverBrokenGraphs draws graphs as each importer makes them, breaks each at one place, and follows the findings: that ends, leaves no
// more that blocks than there was, and repairs the faults that have one repair.
func TestLoopOverBrokenGraphs(t *testing.T) {
	want := fewBroken
	if text := os.Getenv(brokenVariable); text != "" {
		var err error
		if want, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, im := range importersOfBroken(t) {
		t.Run(im.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(23, uint64(want)))
			all, passed, drawn := map[string]int{}, map[string]int{}, 0
			for tries := 0; drawn < want; tries++ {
				if tries > 60*want {
					t.Fatalf("only %d broken graphs after %d tries", drawn, tries)
				}
				kind := im.faults[rng.IntN(len(im.faults))]
				g, reread := im.draw(rng, kind)
				if g == nil {
					continue
				}
				before := edit.Blocking(check.Run(&check.Request{Model: g.Clone()}).Findings)
				if len(before) == 0 {
					continue // no fault: the number had no meaning, or the importer reads past it
				}
				drawn++
				r, err := edit.Follow(g.Clone(), graph.LocalLimits, action.TextCall{}, reread)
				if err != nil {
					t.Fatalf("%s: %v", kind, err)
				}
				after := edit.Blocking(check.Run(&check.Request{Model: r.Graph.Clone()}).Findings)
				if len(after) > len(before) {
					t.Errorf("%s of %s: %d findings block afterwards, %d did", kind, g.Name, len(after), len(before))
				}
				if len(r.Steps) > 40 {
					t.Errorf("%s of %s: %d steps", kind, g.Name, len(r.Steps))
				}
				all[kind]++
				if r.Passes {
					passed[kind]++
				} else if mendable[kind] {
					t.Logf("%s of %s is left: %s; %d steps; %s", kind, g.Name, before[0].Detail, len(r.Steps), firstOf(r))
				}
			}
			mended, of := 0, 0
			for _, kind := range slices.Sorted(maps.Keys(all)) {
				t.Logf("%s: %d of %d pass", kind, passed[kind], all[kind])
				if mendable[kind] {
					mended, of = mended+passed[kind], of+all[kind]
				}
			}
			t.Logf("%s: %d of %d with one repair pass", im.name, mended, of)
			if mended*100 < of*leastMended {
				t.Errorf("%d of %d, less than %d %%", mended, of, leastMended)
			}
		})
	}
}

// firstOf is what is left of a repair, in a few words.
func firstOf(r *edit.Repair) string {
	if len(r.Left) > 0 {
		return r.Left[0].Detail
	}
	return r.Withheld
}

// brokenImporter draws graphs of one importer with a fault of a kind; nil where a graph has no place for it.
type brokenImporter struct {
	name   string
	faults []string
	draw   func(rng *rand.Rand, kind string) (*graph.Graph, func([]action.Edit) (*graph.Graph, error))
}

func importersOfBroken(t *testing.T) []brokenImporter {
	t.Helper()
	every := slices.Sorted(maps.Keys(faults))
	every = append(every, "number", "number", "number", "flatten", "flatten", "batch") // those that must be repaired more often
	plain, configs, files := plainGraphs(t), configGraphs(t), onnxGraphs(t)
	spoiled := func(from []*graph.Graph, as func(*graph.Graph) *graph.Graph) func(*rand.Rand, string) (*graph.Graph, func([]action.Edit) (*graph.Graph, error)) {
		return func(rng *rand.Rand, kind string) (*graph.Graph, func([]action.Edit) (*graph.Graph, error)) {
			g := from[rng.IntN(len(from))].Clone()
			if !faults[kind](rng, g) {
				return nil, nil
			}
			return as(g), nil
		}
	}
	return []brokenImporter{
		{"graph", every, spoiled(plain, func(g *graph.Graph) *graph.Graph { return decoded(t, g) })},
		{"config.json", every, spoiled(configs, func(g *graph.Graph) *graph.Graph { return g })},
		{"onnx", every, spoiled(files, func(g *graph.Graph) *graph.Graph { return g })},
		{"neurarch", every, spoiled(plain, func(g *graph.Graph) *graph.Graph { return neurarch.Import(marked(g)).Graph })},
		{"source", []string{"number", "number", "batch", "flatten", "heads"}, sourceDraw(plain)},
	}
}

// mostDrawn bounds the components of graphs that are drawn from: each is judged some times.
const mostDrawn = 90

// usable are graphs that run, of which all is known.
func usable(g *graph.Graph) bool {
	if len(g.Components) > mostDrawn {
		return false
	}
	n := g.Clone()
	n.Normalize(catalog.Vocabulary)
	res := infer.Walk(n)
	for i := range res.Nodes {
		if s := res.Nodes[i].State; s != infer.Legal && s != infer.Note {
			return false
		}
	}
	return len(res.Refusals) == 0
}

func plainGraphs(t *testing.T) (out []*graph.Graph) {
	t.Helper()
	for _, id := range models.List() {
		g, err := models.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		if usable(g) {
			out = append(out, stated(g))
		}
	}
	if len(out) < 20 {
		t.Fatalf("%d models to draw from", len(out))
	}
	return out
}

// stated is a graph with the sizes written down that its layers would take from their inputs: what is not written cannot be wrong.
func stated(g *graph.Graph) *graph.Graph {
	n := g.Clone()
	n.Normalize(catalog.Vocabulary)
	res := infer.Walk(n)
	for i := range res.Nodes {
		node := &res.Nodes[i]
		for k := range node.Type.Params {
			p := &node.Type.Params[k]
			if _, given := node.Component.Param(p.Name); !given && p.Lazy && node.Args[k].Kind() == graph.Int {
				n.Components[i].SetParam(p.Name, node.Args[k])
			}
		}
	}
	return n
}

func configGraphs(t *testing.T) (out []*graph.Graph) {
	t.Helper()
	paths, err := filepath.Glob("../models/configs/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := hf.Import(shallow(t, text), hf.Options{})
		if err == nil && usable(m.Graph) {
			out = append(out, m.Graph)
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d configs to draw from", len(out))
	}
	return out
}

// shallow is a config with two layers in the place of however many.
func shallow(t *testing.T, text []byte) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var c map[string]any
	if err := d.Decode(&c); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"num_hidden_layers", "n_layer", "num_layers", "n_layers", "encoder_layers", "decoder_layers", "num_decoder_layers"} {
		if c[key] != nil {
			c[key] = 2
		}
	}
	out, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func onnxGraphs(t *testing.T) (out []*graph.Graph) {
	t.Helper()
	files, rows := onnxFiles(t, "onnx.tgz")
	for _, r := range rows {
		m, err := onnx.Import(context.Background(), bytes.NewReader(files[r.File]), int64(len(files[r.File])), onnx.Options{SeqLen: 16})
		if err == nil && usable(m.Graph) {
			out = append(out, m.Graph)
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d ONNX files to draw from", len(out))
	}
	return out
}

// decoded is a graph read from its JSON.
func decoded(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	out, err := graph.Decode(g.AppendJSON(nil), "model", graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// marked is a graph as a file of the Neurarch editor: with the lists by which its importer tells it.
func marked(g *graph.Graph) *graph.Graph {
	for i := range g.Components {
		g.Components[i].Extra = append(g.Components[i].Extra, graph.Member{Name: "inputs", Raw: "[]"}, graph.Member{Name: "outputs", Raw: "[]"})
	}
	return g
}

// mostOfSource bounds the components of graphs that are written as sources: each is read once for every edit.
const mostOfSource = 40

// sourceDraw writes a graph as a PyTorch source, breaks its text and reads that, and reads it again after every edit as the command does.
func sourceDraw(from []*graph.Graph) func(*rand.Rand, string) (*graph.Graph, func([]action.Edit) (*graph.Graph, error)) {
	return func(rng *rand.Rand, kind string) (*graph.Graph, func([]action.Edit) (*graph.Graph, error)) {
		g := from[rng.IntN(len(from))].Clone()
		shapes := inputsOf(g)
		if shapes == nil || len(g.Components) > mostOfSource {
			return nil, nil
		}
		g.Normalize(catalog.Vocabulary)
		text, class, err := torch.Module(infer.Walk(g))
		if err != nil {
			return nil, nil
		}
		text, shapes, ok := brokenSource(rng, kind, text, shapes)
		if !ok {
			return nil, nil
		}
		read := func(edits []action.Edit) (*graph.Graph, error) {
			opt := load.Options{Inputs: shapes, Limits: graph.LocalLimits}
			for _, e := range edits {
				if e.Op == action.Insert {
					opt.Edits = append(opt.Edits, reader.Edit{Flatten: e.To})
				} else {
					opt.Edits = append(opt.Edits, reader.Edit{Component: e.Component, Param: e.Param, Value: e.Value})
				}
			}
			m, err := load.Text(context.Background(), &fence.Texts{Over: map[string]string{"net.py": text}}, "net.py", class, opt)
			if errors.Is(err, load.ErrNotLayer) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return m.Graph, nil
		}
		out, err := read(nil)
		if err != nil {
			return nil, nil
		}
		return out, read
	}
}

// firstNumber is the input size of a layer in a source.
var firstNumber = regexp.MustCompile(`nn\.(?:Linear|Conv[123]d|BatchNorm[123]d|LayerNorm|LSTM|GRU)\(\[?([0-9]+)`)

// headNumber is the number of heads of an attention.
var headNumber = regexp.MustCompile(`nn\.MultiheadAttention\([0-9]+, ([0-9]+)`)

// brokenSource breaks the text of a source at one place, and reports whether there was one.
func brokenSource(rng *rand.Rand, kind, text string, shapes []string) (string, []string, bool) {
	switch kind {
	case "flatten":
		at := strings.Index(text, "nn.Flatten(1, -1)")
		if at < 0 {
			return "", nil, false
		}
		return text[:at] + "nn.Identity()" + text[at+len("nn.Flatten(1, -1)"):], shapes, true
	case "batch":
		doubled := make([]string, len(shapes))
		for i, s := range shapes {
			doubled[i] = "1," + s
		}
		return text, doubled, true
	}
	pattern := firstNumber
	if kind == "heads" {
		pattern = headNumber
	}
	places := pattern.FindAllStringSubmatchIndex(text, -1)
	if len(places) == 0 {
		return "", nil, false
	}
	at := places[rng.IntN(len(places))]
	n, err := strconv.ParseInt(text[at[2]:at[3]], 10, 64)
	if err != nil {
		return "", nil, false
	}
	wrong := []int64{n - 1, n + 1, n * 2, n / 2, n + 8}[rng.IntN(5)]
	if wrong < 1 || wrong == n {
		return "", nil, false
	}
	return text[:at[2]] + strconv.FormatInt(wrong, 10) + text[at[3]:], shapes, true
}

// inputsOf are the inputs of a graph as --input takes them, nil where one of them is not of a known shape.
func inputsOf(g *graph.Graph) (out []string) {
	n := g.Clone()
	n.Normalize(catalog.Vocabulary)
	res := infer.Walk(n)
	for i := range res.Nodes {
		if node := &res.Nodes[i]; node.Type.ID == infer.InputID {
			text := "1"
			for _, d := range node.Out {
				text += fmt.Sprintf(",%d", d)
			}
			if node.OutIsInt {
				text += ":int64"
			}
			out = append(out, text)
		}
	}
	return out
}

// faults break a graph at one place, and report whether there was one.
var faults = map[string]func(*rand.Rand, *graph.Graph) bool{
	"number": wrongNumber, "batch": batchInFront, "flatten": noFlatten,
	"heads": wrongDivisor, "kernel": hugeKernel, "edge": noEdge, "twice": sameID,
}

// wrongNumber changes a size that a layer says its input has.
func wrongNumber(rng *rand.Rand, g *graph.Graph) bool {
	type place struct {
		component int
		param     string
	}
	var places []place
	for i := range g.Components {
		t := catalog.Lookup(catalog.Canonical(g.Components[i].Type))
		if t == nil {
			continue
		}
		for k := range t.Params {
			if v, given := g.Components[i].Param(t.Params[k].Name); given && t.Params[k].Reads != 0 && v.Kind() == graph.Int {
				places = append(places, place{i, t.Params[k].Name})
			}
		}
	}
	if len(places) == 0 {
		return false
	}
	at := places[rng.IntN(len(places))]
	v, _ := g.Components[at.component].Param(at.param)
	n := v.Int()
	wrong := []int64{n - 1, n + 1, n * 2, n / 2, n + 8}[rng.IntN(5)]
	if wrong < 1 || wrong == n {
		return false
	}
	g.Components[at.component].SetParam(at.param, graph.IntValue(wrong))
	return true
}

// batchInFront writes a batch of 1 into the shape of every input.
func batchInFront(_ *rand.Rand, g *graph.Graph) bool {
	changed := false
	for i := range g.Components {
		c := &g.Components[i]
		if v, ok := c.Param("shape"); ok && catalog.Canonical(c.Type) == infer.InputID && v.Kind() == graph.List {
			shape := []int64{1}
			for _, d := range v.List() {
				shape = append(shape, d.Int())
			}
			c.SetParam("shape", graph.IntsValue(shape...))
			changed = true
		}
	}
	return changed
}

// noFlatten takes a flatten away in front of a linear layer.
func noFlatten(rng *rand.Rand, g *graph.Graph) bool {
	var places []int
	for i := range g.Components {
		if catalog.Canonical(g.Components[i].Type) == infer.FlattenID {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return false
	}
	id := g.Components[places[rng.IntN(len(places))]].ID
	out, err := edit.Apply(g, []edit.Op{{Kind: edit.Remove, Component: id, Join: true}}, graph.LocalLimits)
	if err != nil {
		return false
	}
	*g = *out
	return true
}

// wrongDivisor changes a number of heads or groups.
func wrongDivisor(rng *rand.Rand, g *graph.Graph) bool {
	for _, i := range rng.Perm(len(g.Components)) {
		for _, name := range []string{"numHeads", "groups", "numGroups"} {
			if v, ok := g.Components[i].Param(name); ok && v.Kind() == graph.Int && v.Int() > 1 {
				g.Components[i].SetParam(name, graph.IntValue(v.Int()+1))
				return true
			}
		}
	}
	return false
}

// hugeKernel makes a kernel larger than any input.
func hugeKernel(rng *rand.Rand, g *graph.Graph) bool {
	for _, i := range rng.Perm(len(g.Components)) {
		if _, ok := g.Components[i].Param("kernelSize"); ok {
			g.Components[i].SetParam("kernelSize", graph.IntValue(9999))
			return true
		}
	}
	return false
}

// noEdge takes a connection away.
func noEdge(rng *rand.Rand, g *graph.Graph) bool {
	if len(g.Connections) == 0 {
		return false
	}
	at := rng.IntN(len(g.Connections))
	g.Connections = slices.Delete(slices.Clone(g.Connections), at, at+1)
	return true
}

// sameID gives a component the id of another.
func sameID(rng *rand.Rand, g *graph.Graph) bool {
	if len(g.Components) < 3 {
		return false
	}
	i := 1 + rng.IntN(len(g.Components)-1)
	g.Components[i].ID = g.Components[i-1].ID
	return true
}
