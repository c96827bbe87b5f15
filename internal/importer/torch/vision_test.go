package torch

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/pythontest"
)

// packages is where Debian's python3-torchvision puts its files. They are read there and never copied.
const packages = "/usr/lib/python3/dist-packages"

type visionRow struct {
	Model  string  `json:"model"`
	Params int64   `json:"params"`
	FLOPs  int64   `json:"flops"`
	Input  []int64 `json:"input"`
	Output []int64 `json:"output"`
}

// visionFiles tells in which file of torchvision.models a factory is.
var visionFiles = [][2]string{
	{"resne", "resnet"}, {"wide_", "resnet"}, {"vgg", "vgg"}, {"alexnet", "alexnet"}, {"squeezenet", "squeezenet"}, {"densenet", "densenet"},
	{"googlenet", "googlenet"}, {"mobilenet_v2", "mobilenetv2"}, {"mobilenet_v3", "mobilenetv3"}, {"mnasnet", "mnasnet"}, {"vit_", "vision_transformer"},
	{"regnet", "regnet"}, {"efficientnet", "efficientnet"}, {"convnext", "convnext"}, {"shufflenet", "shufflenetv2"}, {"swin", "swin_transformer"},
	{"maxvit", "maxvit"}, {"inception", "inception"},
}

func visionFile(model string) string {
	for _, f := range visionFiles {
		if strings.HasPrefix(model, f[0]) {
			return "torchvision/models/" + f[1] + ".py"
		}
	}
	return ""
}

func needVision(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(packages + "/torchvision/models/resnet.py"); err != nil {
		t.Skip("python3-torchvision is not installed")
	}
}

func visionRows(t *testing.T) []visionRow {
	t.Helper()
	data, err := os.ReadFile("testdata/vision.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []visionRow
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var row visionRow
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

// auxiliary are models that have further heads while training; PyTorch counted the FLOPs of evaluation.
var auxiliary = []string{"googlenet", "inception_v3"}

func TestTorchvisionClassifiersAreReadExactly(t *testing.T) {
	needVision(t)
	all := visionRows(t)
	full := 0
	for _, row := range all {
		m, err := importAt(context.Background(), packages, visionFile(row.Model), row.Model, Options{Inputs: []Input{{Shape: row.Input}}})
		if err != nil {
			t.Errorf("%s: %v", row.Model, err)
			continue
		}
		if m.Params != row.Params {
			t.Errorf("%s has %d parameters, PyTorch's has %d", row.Model, m.Params, row.Params)
		}
		if m.Status != Full {
			t.Errorf("%s is read %s: %v", row.Model, m.Status, m.Problems)
			continue
		}
		full++
		if output, _ := outcome(m); !slices.Equal(output, row.Output) {
			t.Errorf("%s gives %v, PyTorch %v", row.Model, output, row.Output)
		}
		if flops := infer.Walk(m.Graph).FLOPs; flops != row.FLOPs && !slices.Contains(auxiliary, row.Model) {
			t.Errorf("%s takes %d FLOPs, PyTorch counts %d", row.Model, flops, row.FLOPs)
		}
	}
	t.Logf("%d of %d factories are read fully", full, len(all))
}

// TestTorchvisionMoreFactories reads what vision.jsonl has no row for, and compares with the installed torchvision.
func TestTorchvisionMoreFactories(t *testing.T) {
	needTorch(t)
	needVision(t)
	counts := factoryCounts(t)
	tally := map[string]int{}
	for _, c := range counts {
		m, err := importAt(context.Background(), packages, c.File, c.Name, Options{Inputs: []Input{{Shape: c.Input}}, Args: c.Args})
		if err != nil {
			tally["refused"]++
			t.Logf("%s is refused: %v", c.Name, err)
			continue
		}
		tally[string(m.Status)]++
		if m.Status != Full {
			t.Logf("%s is read %s: %v", c.Name, m.Status, m.Problems)
		}
		if m.Params != c.Params {
			t.Errorf("%s has %d parameters, PyTorch's has %d", c.Name, m.Params, c.Params)
		}
	}
	t.Logf("%d factories: %v", len(counts), tally)
}

type factoryCount struct {
	File   string            `json:"file"`
	Name   string            `json:"name"`
	Input  []int64           `json:"input"`
	Args   map[string]string `json:"args"`
	Params int64             `json:"params"`
}

// factoryCounts builds further models of torchvision in Python and counts their parameters.
func factoryCounts(t *testing.T) []factoryCount {
	t.Helper()
	out, err := exec.Command(debianPython, "testdata/factories.py").Output()
	if err != nil {
		t.Fatal(err)
	}
	var counts []factoryCount
	if err := json.Unmarshal(out, &counts); err != nil {
		t.Fatal(err)
	}
	return counts
}

// TestTorchvisionTraces compares one model of each family with what its run records.
func TestTorchvisionTraces(t *testing.T) {
	needTorch(t)
	needVision(t)
	python := pythontest.Warm(t, debianPython)
	for _, name := range []string{"resnet18", "vgg11_bn", "squeezenet1_1", "densenet121", "mobilenet_v2", "mnasnet0_5", "vit_b_32", "shufflenet_v2_x0_5", "convnext_tiny"} {
		opt := Options{Inputs: []Input{{Shape: []int64{3, 224, 224}}}}
		static, err := importAt(context.Background(), packages, visionFile(name), name, opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		traced, err := Trace(context.Background(), python, packages, visionFile(name), name, opt, 3*time.Minute)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		o1, w1 := outcome(static)
		o2, w2 := outcome(traced)
		if static.Params != traced.Params || !slices.Equal(o1, o2) || !slices.Equal(w1, w2) {
			t.Errorf("%s: read %d %v, traced %d %v; weights\n%v\n%v", name, static.Params, o1, traced.Params, o2, w1, w2)
		}
	}
}
