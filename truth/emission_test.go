package truth

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
)

var emit = flag.String("emit", "", "write the PyTorch expression of every legal row to this file, for emission.py to run")

// emitted is a row with the expression that the catalogue gives for it.
type emitted struct {
	Type       string          `json:"type"`
	Params     json.RawMessage `json:"params"`
	Module     string          `json:"module"`
	Torch      string          `json:"torch"`
	Inputs     []catalog.Shape `json:"inputs"`
	Dtypes     []string        `json:"dtypes"`
	OutShape   catalog.Shape   `json:"outShape"`
	ParamCount int64           `json:"paramCount"`
	Weights    []string        `json:"weights"` // the names and shapes of the state_dict, as we have them
}

// TestEmission holds that every legal row gives an expression without a hole; with -emit it writes them all.
func TestEmission(t *testing.T) {
	var out *json.Encoder
	if *emit != "" {
		f, err := os.Create(*emit)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out = json.NewEncoder(f)
	}
	for _, file := range []string{"layers.jsonl.gz", "more.jsonl.gz"} {
		all := rowsOf(t, file)
		for _, name := range sorted(all) {
			typ := catalog.Lookup(name)
			for _, r := range all[name] {
				got := r.evaluate(t)
				if !r.OK || got.Err != nil {
					continue
				}
				e := emitted{name, r.Params, typ.Classes(got.Args), typ.Expression(got.Args), r.Inputs, r.Dtypes, r.OutShape, r.ParamCount, []string{}}
				if e.Torch == "" || strings.Contains(e.Torch, "{{") {
					t.Errorf("%s %s: the expression is %q", name, r.Params, e.Torch)
				}
				for i := range got.Weights {
					if w := &got.Weights[i]; w.Times == 1 {
						e.Weights = append(e.Weights, w.Path()+" "+w.Shape.String())
					}
				}
				if out != nil {
					if err := out.Encode(e); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}
