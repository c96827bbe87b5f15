package truth

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
)

// TestLayers holds every component type to the rows measured for it: whether it runs, the shape of the result, the weights.
func TestLayers(t *testing.T) {
	for _, file := range []string{"layers.jsonl.gz", "more.jsonl.gz", edges} {
		t.Run(file[:len(file)-len(".jsonl.gz")], func(t *testing.T) { layers(t, file) })
	}
}

func layers(t *testing.T, file string) {
	all := rowsOf(t, file)
	tb := newTable("rows", "refused", "verdict", "shape", "weights")
	for _, typ := range sorted(all) {
		t.Run(typ, func(t *testing.T) {
			for _, r := range all[typ] {
				got := r.evaluate(t)
				v := r.compare(got)
				tb.add(typ, 1, count(!r.OK), count(v.legal), count(v.shape), count(v.weights))
				if a := accidentOf(&r, got); file == edges && !v.agrees() && a != nil {
					a.seen++
					continue
				}
				if !v.agrees() {
					t.Errorf("%s %s %v %v: %s", r.Type, r.Params, r.Inputs, r.Dtypes, v.why)
				}
			}
		})
	}
	tb.print()
	if file != edges {
		return
	}
	for _, a := range accidents {
		if *dir == "." && a.seen == 0 {
			t.Errorf("no row of %s with an odd %s is left: take it off the list", a.typ, a.param)
		}
		fmt.Printf("left: %d rows of %s with an odd %s: %s\n", a.seen, a.typ, a.param, a.why)
	}
}

const edges = "edges.jsonl.gz"

// accidents are the kinds of edge rows in which PyTorch runs what no one means: we refuse the value under bad-param instead,
// since a user who wrote it is better served by the refusal. Nothing else may differ.
var accidents = []*accident{
	{typ: "batchNorm", param: "numFeatures", why: "a list of one number passes for it, since torch.empty takes lists"},
	{typ: "instanceNorm", param: "numFeatures", why: "without weights PyTorch never looks at the value, be it a word"},
	{typ: "gat", param: "inChannels", why: "torch-geometric takes a list as a bipartite graph and ignores the rest of it"},
	{typ: "graphConv", param: "inChannels", why: "as gat"},
	{typ: "graphSAGE", param: "inChannels", why: "as gat"},
	{typ: "mfcc", param: "nMfcc", why: "1.5 coefficients are two by the way arange rounds"},
	{typ: "spectralNorm", param: "kernelSize", why: "PyTorch never looks at it for a linear layer"},
	{typ: "ropeAttention", param: "causal", why: "a number other than 0 passes for true; torch's attention itself takes a boolean only"},
	{typ: "windowAttention", param: "shiftSize", why: "true passes for 1"},
}

type accident struct {
	typ, param, why string
	seen            int
}

func accidentOf(r *row, got catalog.Result) *accident {
	for _, a := range accidents {
		if r.OK && a.typ == r.Type && got.Err != nil && got.Err.Rule == catalog.BadParam && strings.HasPrefix(got.Err.Message, a.param+" is ") {
			return a
		}
	}
	return nil
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
