package task

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/training"
)

const cnn = `graph "Small CNN"
x: input shape=[1,28,28]
conv: conv2d inChannels=1 outChannels=8 kernelSize=3 padding=1
norm: batchNorm numFeatures=8
act: relu
flat: flatten
fc: linear inFeatures=6272 outFeatures=10
y: output
x -> conv -> norm -> act -> flat -> fc -> y
`

func TestATaskHasTheFileItsClassAndEveryWeight(t *testing.T) {
	g, err := graph.Parse(cnn)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Of(g, "mnist", training.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.Model, "class "+got.Class+"(nn.Module):") || !slices.Equal(got.InputShape, []int64{1, 28, 28}) {
		t.Errorf("class %q, input %v:\n%s", got.Class, got.InputShape, got.Model)
	}
	var params int64
	for _, w := range got.Weights {
		n := int64(1)
		for _, d := range w.Shape {
			n *= d
		}
		params += n
	}
	if want := int64(8*9 + 8 + 16 + 62720 + 10); params != want || got.Params != want || len(got.Weights) != 6 {
		t.Errorf("%d weights of %d parameters, and %d, want 6 of %d", len(got.Weights), params, got.Params, want)
	}
}

func TestAModelThatDoesNotRunIsNoTask(t *testing.T) {
	g, err := graph.Parse(strings.Replace(cnn, "inFeatures=6272", "inFeatures=100", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Of(g, "mnist", training.Defaults); err == nil || !strings.Contains(err.Error(), "inFeatures is 100") {
		t.Errorf("got %v", err)
	}
}
