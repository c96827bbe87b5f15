package infer

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

func TestOriginsAreTheLayersThatSetWhatArrives(t *testing.T) {
	for _, c := range []struct {
		text, at string
		want     []string
	}{
		{"x: input shape=[8]\nf: linear outFeatures=5\nr: relu\ng: linear inFeatures=4 outFeatures=2\no: output\nx -> f -> r -> g -> o", "g", []string{"f"}},
		{"x: input shape=[3,8,8]\nc: conv2d outChannels=4 kernelSize=3\np: maxpool2d kernelSize=2\nl: flatten\ng: linear inFeatures=4 outFeatures=2\no: output\nx -> c -> p -> l -> g -> o", "g",
			[]string{"l", "p", "c"}},
		{"x: input shape=[8]\nh: linear outFeatures=8\nf: linear outFeatures=5\ng: linear outFeatures=4\na: add\no: output\nx -> h -> f -> a\nh -> g -> a\na -> o", "a", []string{"g", "f"}},
	} {
		g, err := graph.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		r := Walk(g)
		var got []string
		for i := range r.Nodes {
			if r.Nodes[i].Component.ID == c.at {
				for _, j := range r.Origins(i) {
					got = append(got, r.Nodes[j].Component.ID)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.at, got, c.want)
		}
	}
}
