package data

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// imported calls f with one model of each class among the configs of transformers that are at hand.
func imported(t *testing.T, f func(class string, res *infer.Result)) {
	t.Helper()
	file, err := os.Open("../../../truth/hf.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<24)
	seen := map[string]bool{}
	for lines.Scan() {
		var row struct {
			Config json.RawMessage `json:"config"`
		}
		if json.Unmarshal(lines.Bytes(), &row) != nil {
			continue // Python writes Infinity, which is no JSON
		}
		m, err := hf.Import(row.Config, hf.Options{})
		if err != nil || seen[m.Class] {
			continue
		}
		seen[m.Class] = true
		m.Graph.Normalize(catalog.Vocabulary)
		if res := infer.Walk(m.Graph); len(res.Refusals) == 0 {
			f(m.Class, res)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestNoImportedModelIsBlockedForItsLength holds for every class of transformers: each takes shorter sequences, and refuses longer ones
// only where a table of positions ends.
func TestNoImportedModelIsBlockedForItsLength(t *testing.T) {
	count := map[string]int{}
	imported(t, func(class string, res *infer.Result) {
		in := facts.Tokens(res)
		if len(in) == 0 {
			return
		}
		own := res.Nodes[in[0]].Out[0]
		shorter := sequence(&subject{res: res, facts: facts.Of(res), Request: Request{SeqLen: own - 2}})[0]
		longer := sequence(&subject{res: res, facts: facts.Of(res), Request: Request{SeqLen: own + 2}})[0]
		count["shorter "+shorter.Status]++
		count["longer "+longer.Status]++
		if shorter.Status == block || shorter.Status == warn {
			t.Errorf("%s: %s", class, shorter.Detail)
		}
		if longer.Status == block && !strings.Contains(longer.Detail, "maxLen is") {
			t.Errorf("%s: %s", class, longer.Detail)
		}
		if shorter.Status == unknown {
			t.Logf("%s: %s", class, shorter.Detail)
		}
	})
	if count["shorter pass"] < 100 {
		t.Error("hardly a model was asked")
	}
	t.Log(count)
}

// TestNoImportedModelIsBlockedForItsImages holds for every class of transformers with one input of images: only tables of positions that
// are not stretched refuse another size.
func TestNoImportedModelIsBlockedForItsImages(t *testing.T) {
	count := map[string]int{}
	imported(t, func(class string, res *infer.Result) {
		s := &subject{res: res, facts: facts.Of(res)}
		i := s.pictures()
		if i < 0 {
			return
		}
		own := res.Nodes[i].Out
		s.ImageHeight, s.ImageWidth = own[1]*2, own[2]*2
		c := s.size(i, own, []int64{own[0], s.ImageHeight, s.ImageWidth})
		count[c.Status]++
		if c.Status == block {
			t.Logf("%s: %s", class, c.Detail)
		}
		if c.Status == block && (!strings.Contains(c.Detail, "maxLen is") || strings.HasPrefix(class, "Dinov2")) {
			t.Errorf("%s: %s", class, c.Detail)
		}
	})
	if count[pass] == 0 || count[block] == 0 {
		t.Error("hardly a model was asked")
	}
	t.Log(count)
}
