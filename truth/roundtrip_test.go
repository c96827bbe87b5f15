package truth

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/pythontest"
)

var (
	perType = flag.Int("pertype", 2, "how many measured rows of each component type are exported and run in PyTorch")
	flops   = flag.Float64("flops", 8e9, "bundled models that take more FLOPs for a sample are exported and not run; 300e9 runs for minutes")
	keep    = flag.String("keep", "", "folder in which the exported files stay")
)

// trip is a graph that is exported, and what PyTorch must make of it.
type trip struct {
	ID    string `json:"id"`
	File  string `json:"file"` // beside the list of cases
	Names bool   `json:"names,omitempty"`
	Eval  bool   `json:"eval,omitempty"` // run it in evaluation, too
	Twin  string `json:"twin,omitempty"` // a file that must compute the same numbers

	group   string
	params  int64
	shapes  []catalog.Shape
	weights []string // names and shapes that must be among the parameters
}

type tripped struct {
	ID, Error    string
	Params       int64
	Shapes, Eval []catalog.Shape
	Batch        []int
	Names        []string
	Strangers    []string
	Apart        float64
}

// trips collects cases and writes their files.
type trips struct {
	t     *testing.T
	dir   string
	cases []trip
	twins int
}

// add exports a graph. What PyTorch must find is what the engine says; callers compare that with measured rows.
func (ts *trips) add(group, id string, g *graph.Graph) *infer.Result {
	ts.t.Helper()
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	source, err := torch.Source(res, false)
	if err != nil {
		ts.t.Errorf("%s: %v", id, err)
		return res
	}
	c := trip{ID: id, File: fmt.Sprintf("case%04d.py", len(ts.cases)), group: group, params: res.Params, Eval: group != "models"}
	if err := os.WriteFile(filepath.Join(ts.dir, c.File), []byte(source), 0o666); err != nil {
		ts.t.Fatal(err)
	}
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Type.ID == "output" {
			c.shapes = append(c.shapes, n.Out)
		}
	}
	if strings.Contains(source, "for block in self.") && res.FLOPs < maxTwinFLOPs {
		c.Twin = ts.twin(g, c.File)
	}
	ts.cases = append(ts.cases, c)
	return res
}

// maxTwinFLOPs keeps the comparison of loops to models that run in a moment.
const maxTwinFLOPs = 5e9

// twin exports the same graph under names that share nothing, so that every component is written by itself, and no loop. With the same
// weights both must compute the same numbers.
func (ts *trips) twin(g *graph.Graph, file string) string {
	ts.t.Helper()
	flat := g.Clone()
	for i := range flat.Components {
		name := []byte("n")
		for n := i; ; n /= 26 {
			name = append(name, byte('a'+n%26))
			if n < 26 {
				break
			}
		}
		flat.Components[i].Name = string(name)
	}
	source, err := torch.Source(infer.Walk(flat), false)
	if err != nil || strings.Contains(source, "for block in self.") {
		ts.t.Errorf("%s: the twin has a loop, or %v", file, err)
	}
	name := "twin_" + file
	if err := os.WriteFile(filepath.Join(ts.dir, name), []byte(source), 0o666); err != nil {
		ts.t.Fatal(err)
	}
	ts.twins++
	return name
}

// addComponent exports one measured component with an input for each shape that arrives.
func (ts *trips) addComponent(r *row, id string) {
	var b strings.Builder
	fmt.Fprintf(&b, `{"components":[{"id":"a","type":%q,"params":%s}`, r.Type, r.Params)
	edges := ""
	for i, shape := range r.Inputs {
		dtype := "float"
		indices := catalog.Lookup(r.Type).Indices
		if len(r.Dtypes) > i && r.Dtypes[i] == "int64" || len(r.Dtypes) == 0 && slices.Contains(indices, i) {
			dtype = "int64"
		}
		text, _ := json.Marshal(append([]int64{}, shape...)) // integers
		fmt.Fprintf(&b, `,{"id":"in%d","type":"input","params":{"shape":%s,"dtype":%q}}`, i, text, dtype)
		edges += fmt.Sprintf(`{"from":"in%d","to":"a"},`, i)
	}
	b.WriteString(`,{"id":"out","type":"output"}],"connections":[` + edges + `{"from":"a","to":"out"}]}`)
	g, err := graph.Decode([]byte(b.String()), "model", graph.Limits{})
	if err != nil {
		ts.t.Fatal(err)
	}
	before := len(ts.cases)
	res := ts.add("component types", id, g)
	if len(ts.cases) == before {
		return
	}
	c := &ts.cases[before]
	c.params, c.shapes, c.Names = r.ParamCount, []catalog.Shape{r.OutShape}, true
	for _, w := range res.Nodes[0].Weights {
		if w.Times == 1 {
			c.weights = append(c.weights, "a."+w.Path()+" "+w.Shape.String())
		}
	}
}

// run runs every case in one Python process and reports what differs.
func (ts *trips) run() {
	var list, out bytes.Buffer
	e := json.NewEncoder(&list)
	for i := range ts.cases {
		if err := e.Encode(&ts.cases[i]); err != nil {
			ts.t.Fatal(err)
		}
	}
	path := filepath.Join(ts.dir, "cases.jsonl")
	if err := os.WriteFile(path, list.Bytes(), 0o666); err != nil {
		ts.t.Fatal(err)
	}
	cmd := exec.CommandContext(ts.t.Context(), pythontest.WithTorch(ts.t), "roundtrip.py", path)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		ts.t.Fatalf("roundtrip.py: %v", err)
	}
	table, n := newTable("exported", "agree"), 0
	for s := bufio.NewScanner(&out); s.Scan(); n++ {
		var got tripped
		if err := json.Unmarshal(s.Bytes(), &got); err != nil {
			ts.t.Fatal(err)
		}
		c := &ts.cases[n]
		diff := c.differs(&got)
		table.add(c.group, 1, count(diff == ""))
		if diff != "" {
			ts.t.Errorf("%s (%s): %s", c.ID, c.File, diff)
		}
	}
	if n != len(ts.cases) {
		ts.t.Errorf("%d of %d cases gave a result", n, len(ts.cases))
	}
	fmt.Println("round trip: exported as a PyTorch file, run, same output shape and parameters")
	table.print()
	fmt.Printf("%d of them have loops and were compared, number by number, with the same model written without\n\n", ts.twins)
	if ts.twins < 5 {
		ts.t.Errorf("only %d models have loops", ts.twins)
	}
}

// differs says how what PyTorch made of an exported file differs from the graph; empty where it does not.
func (c *trip) differs(got *tripped) string {
	equal := func(a, b catalog.Shape) bool { return a.Equal(b) }
	switch {
	case got.ID != c.ID:
		return "the result is of " + got.ID
	case got.Error != "":
		return got.Error
	case got.Params != c.params:
		return fmt.Sprintf("has %d parameters, not %d", got.Params, c.params)
	case !slices.EqualFunc(got.Shapes, c.shapes, equal):
		return fmt.Sprintf("gives %v, not %v", got.Shapes, c.shapes)
	case c.Eval && !slices.EqualFunc(got.Eval, c.shapes, equal):
		return fmt.Sprintf("gives %v in evaluation, not %v", got.Eval, c.shapes)
	case got.Apart > 1e-5:
		return fmt.Sprintf("as a loop it computes other numbers: %g apart", got.Apart)
	case len(got.Strangers) > 0:
		return fmt.Sprintf("imports %v", got.Strangers)
	}
	for _, n := range got.Batch {
		if n != 2 {
			return fmt.Sprintf("gives a batch of %d for one of 2", n)
		}
	}
	for _, w := range c.weights {
		if !slices.Contains(got.Names, w) {
			return fmt.Sprintf("has no %s among %v", w, got.Names)
		}
	}
	return ""
}

// TestRoundTrip holds what verifier export writes to PyTorch itself: every measured graph that runs, every bundled model and some
// rows of every component type are exported, run as a user would run the file, and give the measured shape and parameters.
func TestRoundTrip(t *testing.T) {
	ts := &trips{t: t, dir: t.TempDir()}
	if *keep != "" {
		ts.dir = *keep
	}
	pythontest.WithTorch(t) // skips before any work
	for _, r := range graphRows(t) {
		if !r.OK {
			continue
		}
		g, err := graph.Decode(r.Graph, "model", graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		if ts.add("graphs", r.ID, g); len(ts.cases) > 0 {
			last := &ts.cases[len(ts.cases)-1]
			last.params, last.shapes[0] = r.Params, r.OutShape
		}
	}
	ts.addModels()
	for _, file := range []string{"layers.jsonl.gz", "more.jsonl.gz"} {
		all := rowsOf(t, file)
		for _, name := range sorted(all) {
			var legal []row
			for _, r := range all[name] {
				if r.OK {
					legal = append(legal, r)
				}
			}
			for k := range min(*perType, len(legal)) {
				n := k * len(legal) / min(*perType, len(legal)) // spread over all of them
				ts.addComponent(&legal[n], fmt.Sprintf("%s %s %v", name, legal[n].Params, legal[n].Inputs))
			}
		}
	}
	ts.run()
}

// shortFLOPs takes the place of -flops in a short run; maxWeights is what fits into the memory of any machine.
const shortFLOPs, maxWeights = 4e9, 200e6

// tooLarge says why a bundled model is exported and not run; empty where it is run.
func tooLarge(res *infer.Result) string {
	limit := *flops
	if testing.Short() {
		limit = min(limit, shortFLOPs)
	}
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Type.ID == "input" && n.Out.Equal(catalog.Of(2, 1166243)) {
			return "passes gigabytes along its edges"
		}
	}
	switch {
	case res.Params > maxWeights:
		return fmt.Sprintf("has %d weights", res.Params)
	case float64(res.FLOPs) > limit:
		return fmt.Sprintf("takes %d FLOPs", res.FLOPs)
	}
	return ""
}

func (ts *trips) addModels() {
	files, err := filepath.Glob("../models/*.graph")
	if err != nil || len(files) == 0 {
		ts.t.Fatalf("no models: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			ts.t.Fatal(err)
		}
		g, err := graph.Parse(string(data))
		if err != nil {
			ts.t.Fatal(err)
		}
		g.Normalize(catalog.Vocabulary)
		res := infer.Walk(g)
		if reason := tooLarge(res); reason != "" {
			ts.t.Logf("%s %s: exported, and not run", filepath.Base(file), reason)
			if _, err := torch.Source(res, false); err != nil {
				ts.t.Errorf("%s: %v", file, err)
			}
			continue
		}
		ts.add("models", filepath.Base(file), g)
	}
	for _, c := range [][2]string{{"loops", loops}, {"translator", translator}} {
		g, err := graph.Parse(c[1])
		if err != nil {
			ts.t.Fatal(err)
		}
		ts.add("models", c[0], g)
	}
}

// loops has loops whose first input, and an input that all of them read, are needed afterwards.
const loops = `
x: input shape=[8]
p: linear outFeatures=8
b0_l: linear outFeatures=8
b0_r: relu
b0_m: multiply
b0_s: subtract
b1_l: linear outFeatures=8
b1_r: relu
b1_m: multiply
b1_s: subtract
b2_l: linear outFeatures=8
b2_r: relu
b2_m: multiply
b2_s: subtract
c0: linear outFeatures=8
c1: linear outFeatures=8
c2: linear outFeatures=8
z: add
o: output
o2: output
x -> p -> b0_l -> b0_r
b0_r, x -> b0_m
b0_m, p -> b0_s -> b1_l -> b1_r
b1_r, x -> b1_m
b1_m, b0_s -> b1_s -> b2_l -> b2_r
b2_r, x -> b2_m
b2_m, b1_s -> b2_s -> c0 -> c1 -> c2
c2, b2_s, p -> z -> o
c2 -> o2`

// translator has a decoder whose layers all read the result of the encoder.
const translator = `
source: input shape=[12]
target: input shape=[10]
es: embedding numEmbeddings=100 embeddingDim=64
e0_a: transformerBlock embedDim=64 numHeads=4 ffDim=128
e0_n: layerNorm normalizedShape=64
e1_a: transformerBlock embedDim=64 numHeads=4 ffDim=128
e1_n: layerNorm normalizedShape=64
et: embedding numEmbeddings=100 embeddingDim=64
d0_s: causalAttention embedDim=64 numHeads=4
d0_c: crossAttention embedDim=64 numHeads=4
d0_f: feedForward embedDim=64 ffDim=128
d1_s: causalAttention embedDim=64 numHeads=4
d1_c: crossAttention embedDim=64 numHeads=4
d1_f: feedForward embedDim=64 ffDim=128
head: lmHead embedDim=64 vocabSize=100
y: output
source -> es -> e0_a -> e0_n -> e1_a -> e1_n
target -> et -> d0_s
d0_s, e1_n -> d0_c -> d0_f -> d1_s
d1_s, e1_n -> d1_c -> d1_f -> head -> y`
