// Command outcomes draws designs of small models as graphs, the same ones for the same seed, and writes each with its PyTorch
// source, a line of JSON a design: go run ./truth/outcomes > designs.jsonl
//
// train.py trains them. docs/outcomes.md explains what is drawn, and what was measured of it.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

// Dataset is what a design is drawn for.
type Dataset struct {
	Name    string
	Shape   []int
	Classes int
	Designs int // how many are drawn, with the default of -designs
}

var datasets = []Dataset{
	{"mnist", []int{1, 28, 28}, 10, 260},
	{"fashion", []int{1, 28, 28}, 10, 380},
	{"cifar10", []int{3, 32, 32}, 10, 480},
	{"digits", []int{64}, 10, 280},
	{"cancer", []int{30}, 2, 200},
}

// Row is one design.
type Row struct {
	ID      string            `json:"id"`
	Dataset string            `json:"dataset"`
	Family  string            `json:"family"`
	Sealed  bool              `json:"sealed"`  // kept aside, see seal.go
	Choices map[string]string `json:"choices"` // what was drawn
	Graph   string            `json:"graph"`   // in the short notation
	Params  int64             `json:"params"`
	FLOPs   int64             `json:"flops"` // of a sample's forward pass
	Depth   int               `json:"depth"` // components with weights on the longest way
	Class   string            `json:"class,omitempty"`
	Source  string            `json:"source,omitempty"`
}

// Designs beyond these are drawn again: thousands are trained.
const maxParams, maxFLOPs = 3_000_000, 120_000_000

func main() {
	seed := flag.Uint64("seed", 1, "what the designs follow from")
	share := flag.Float64("share", 1, "how many of the usual number of designs are drawn")
	bare := flag.Bool("bare", false, "leave the PyTorch source out")
	flag.Parse()
	if err := run(os.Stdout, *seed, *share, *bare); err != nil {
		fmt.Fprintln(os.Stderr, "outcomes:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, seed uint64, share float64, bare bool) error {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for d := range datasets {
		set, seen := &datasets[d], map[string]bool{}
		for i := range int(float64(set.Designs) * share) {
			row, err := draw(set, seed, i, seen)
			if err != nil {
				return err
			}
			if bare {
				row.Source, row.Class = "", ""
			}
			if err := enc.Encode(row); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// draw draws one design; families take turns. What is too large, or was drawn before, is drawn again.
func draw(set *Dataset, seed uint64, i int, seen map[string]bool) (*Row, error) {
	names := familiesFor(set)
	family := names[i%len(names)]
	for try := uint64(0); ; try++ {
		d := newDesign(set, seed, i, try)
		families[family](d)
		text := d.text(set.Name + " " + family)
		if seen[text] && try < 50 {
			continue
		}
		row, err := judge(text)
		if err != nil {
			return nil, fmt.Errorf("%s %s %d: %w\n%s", set.Name, family, i, err, text)
		}
		if row.Params > maxParams || row.FLOPs > maxFLOPs {
			continue
		}
		seen[text] = true
		row.ID, row.Dataset, row.Family = fmt.Sprintf("%s-%04d", set.Name, i), set.Name, family
		if seed != 1 {
			row.ID = fmt.Sprintf("%s-%d-%04d", set.Name, seed, i)
		}
		row.Sealed, row.Choices, row.Graph = sealed(set, family), d.choices, text
		return row, nil
	}
}

// judge walks a graph, which must run, and writes it as PyTorch source.
func judge(text string) (*Row, error) {
	g, err := graph.Parse(text)
	if err != nil {
		return nil, err
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	if findings := rules.Run(res); rules.Blocked(findings) {
		return nil, fmt.Errorf("%s: %s", findings[0].Rule.ID, findings[0].Message)
	}
	row := &Row{Params: res.Params, FLOPs: res.FLOPs, Depth: longest(res)}
	row.Source, row.Class, err = torch.Module(res)
	return row, err
}

// longest counts the components with weights on the longest way through a graph.
func longest(res *infer.Result) int {
	deep, most := make([]int, len(res.Nodes)), 0
	for _, i := range res.Wiring.Order {
		for _, j := range res.Wiring.Inputs(i) {
			deep[i] = max(deep[i], deep[j])
		}
		if res.Nodes[i].Params > 0 {
			deep[i]++
		}
		most = max(most, deep[i])
	}
	return most
}
