package op

import (
	"bufio"
	"compress/gzip"
	"crypto/md5" // the hash by which truth/workspaces_fit.py sets rows aside
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
)

// measuredConv is a row of truth/workspaces-cudnn.jsonl.gz.
type measuredConv struct {
	X, W, Y, Stride, Padding, Dilation json.RawMessage
	Groups                             int64
	Transposed                         bool
	DType, Source                      string
	Forward, Input, Weight             int64
}

// aside reports whether workspaces_fit.py fitted nothing to it: its convolution has a hash that ten divides.
func (m *measuredConv) aside() bool {
	key := fmt.Sprintf(`[%s,%s,%s,%s,%d,%v,"%s"]`, m.X, m.W, m.Y, m.Dilation, m.Groups, m.Transposed, m.DType)
	rest := 0
	for _, b := range md5.Sum([]byte(key)) {
		rest = (rest*256 + int(b)) % 10
	}
	return rest == 0
}

func (m *measuredConv) width() int64 {
	if m.DType == "fp32" {
		return 4
	}
	return 2
}

func (m *measuredConv) conv(t *testing.T) conv {
	t.Helper()
	var x, w, y, dilation []int64
	for _, list := range []struct {
		raw json.RawMessage
		to  *[]int64
	}{{m.X, &x}, {m.W, &w}, {m.Y, &y}, {m.Dilation, &dilation}} {
		if err := json.Unmarshal(list.raw, list.to); err != nil {
			t.Fatal(err)
		}
	}
	p := &Program{}
	g := Geometry{Groups: m.Groups, Transposed: m.Transposed, Dilation: slices.Max(dilation)}
	p.Out = Convolution(p, p.Input(x[1:], Float), p.Weight(0, w...), None, g, y[2:]...)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return convolved(&p.Steps[0], x[0])
}

// TestWorkspacesOfWhatWasSetAside holds the table to the convolutions that it was not fitted to. An error is what is off by the bytes of
// input, result, weight and workspace.
func TestWorkspacesOfWhatWasSetAside(t *testing.T) {
	f, err := os.Open("../../truth/workspaces-cudnn.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	errs := map[string][]float64{}
	for lines := bufio.NewScanner(z); lines.Scan(); {
		var m measuredConv
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		if !m.aside() || m.Source == "grid" {
			continue
		}
		c, width := m.conv(t), m.width()
		tensors := int64(c.bytes(&convForm{X: 1, Y: 1, Sums: 1}, width))
		for pass, is := range []int64{m.Forward, m.Input, m.Weight} {
			off := math.Abs(float64(c.space(convPass(pass), width) - is))
			way := fmt.Sprintf("%s, %d bytes", []string{"forward", "gradient of the input", "gradient of the weight"}[pass], width)
			errs[way] = append(errs[way], off/float64(max(1, tensors+is)))
		}
	}
	for way, within := range map[string]float64{
		"forward, 2 bytes": 0.92, "gradient of the input, 2 bytes": 0.91, "gradient of the weight, 2 bytes": 0.85,
		"forward, 4 bytes": 0.89, "gradient of the input, 4 bytes": 0.89, "gradient of the weight, 4 bytes": 0.85,
	} {
		near, sum := 0, 0.0
		for _, e := range errs[way] {
			sum += e
			if e < 0.05 {
				near++
			}
		}
		n := float64(len(errs[way]))
		t.Logf("%s: %.0f convolutions, off by %.3f in the mean, %.2f of them by less than 5 %%", way, n, sum/n, float64(near)/n)
		if n < 300 || float64(near)/n < within {
			t.Errorf("%s: %d of %.0f convolutions are off by less than 5 %%", way, near, n)
		}
	}
}

// TestTheTableAsksForWhatIsComputed holds the names of features of both to each other, and every tree to its nodes.
func TestTheTableAsksForWhatIsComputed(t *testing.T) {
	table := cudnn()
	if !slices.Equal(table.Features, convFeatures[:]) {
		t.Errorf("the file has %v", table.Features)
	}
	for name, tree := range table.Trees {
		for k := 0; k < len(tree); k += 3 {
			leaf := tree[k] < 0 && tree[k+1] < int64(len(table.Forms))
			if !leaf && (tree[k] < 0 || tree[k] >= int64(len(convFeatures)) || 3*int(tree[k+2]) <= k || 3*int(tree[k+2]) >= len(tree)) {
				t.Fatalf("%s has no such node %v", name, tree[k:k+3])
			}
		}
	}
}

// TestWorkspacesOfHostileSizes finds no overflow.
func TestWorkspacesOfHostileSizes(t *testing.T) {
	for _, n := range []int64{1, 1 << 20, 1 << 40, 1 << 62} {
		c := conv{batch: n, groups: 1, from: n, to: n, pixelsIn: n, pixelsOut: n, taps: n, weights: n,
			reach: n, side: n, stride: n, dilation: n, axes: 2}
		for pass := range convPass(3) {
			if b := c.space(pass, 2); b < 0 {
				t.Errorf("sizes of %d take %d bytes", n, b)
			}
		}
	}
}
