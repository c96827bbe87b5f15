package keras

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

func chainOf(layers ...string) string {
	return `{"class_name":"Sequential","config":{"name":"m","layers":[` + strings.Join(layers, ",") + `]}}`
}

func functionalOf(output string, layers ...string) string {
	return `{"class_name":"Functional","config":{"name":"m","layers":[{"class_name":"InputLayer","name":"x","config":{"batch_shape":[null,4]},"inbound_nodes":[]},` +
		strings.Join(layers, ",") + `],"input_layers":[["x",0,0]],"output_layers":[["` + output + `",0,0]]}}`
}

func reluAfter(name, from string) string {
	return fmt.Sprintf(`{"class_name":"ReLU","name":%q,"config":{},"inbound_nodes":[[[%q,0,0]]]}`, name, from)
}

const fourInputs = `{"class_name":"InputLayer","config":{"name":"x","batch_shape":[null,4]}}`

// TestBoundsAreTold holds that what is too much is refused with its number.
func TestBoundsAreTold(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`{"class_name":"Sequential","config":{"layers":[`, levels) + fourInputs + strings.Repeat(`]}}`, levels)
	}
	long := strings.Repeat("x", maxName+1)
	relus := func(n int) []string {
		return append([]string{fourInputs}, slices.Repeat([]string{`{"class_name":"ReLU","config":{}}`}, n)...)
	}
	for what, c := range map[string]struct {
		model  string
		limits graph.Limits
		want   string
	}{
		"models in models": {nested(maxNested + 1), graph.Limits{}, "more than 16 deep"},
		"axes":             {chainOf(`{"class_name":"InputLayer","config":{"batch_shape":[` + strings.Repeat("1,", 100) + `1]}}`), graph.Limits{}, "has a shape of more than 64 axes"},
		"axes of a result": {chainOf(append([]string{fourInputs}, slices.Repeat([]string{`{"class_name":"Embedding","config":{"output_dim":4}}`}, 70)...)...), graph.Limits{}, "has a tensor of 65 axes, more than 64"},
		"lists": {functionalOf("d", `{"class_name":"ReLU","name":"d","config":{},"inbound_nodes":[`+strings.Repeat("[", 20)+`"x",0,0`+strings.Repeat("]", 20)+`]}`),
			graph.Limits{}, "has lists in lists more than 8 deep"},
		"layers":     {chainOf(relus(50)...), graph.Limits{Components: 20}, "has more than 20 layers"},
		"calls":      {functionalOf("d", `{"class_name":"ReLU","name":"d","config":{},"inbound_nodes":[`+strings.Repeat(`[["x",0,0]],`, 50)+`[["x",0,0]]]}`), graph.Limits{Components: 20}, "has more than 20 layers"},
		"components": {chainOf(append([]string{fourInputs}, slices.Repeat([]string{`{"class_name":"Dense","config":{"units":1,"activation":"relu"}}`}, 15)...)...), graph.Limits{Components: 20}, "has more than 20 components"},
		"connections": {functionalOf("d", `{"class_name":"Add","name":"d","config":{},"inbound_nodes":[[`+strings.Repeat(`["x",0,0],`, 50)+`["x",0,0]]]}`),
			graph.Limits{Connections: 20}, "has more than 20 connections"},
		"values":     {chainOf(`{"class_name":"InputLayer","config":{"batch_shape":[` + strings.Repeat("1,", 30) + `1]}}`), graph.Limits{Values: 20}, "has more than 20 items in the lists of its layers"},
		"name":       {chainOf(`{"class_name":"ReLU","config":{"name":"` + long + `"}}`), graph.Limits{}, "has a name of 4097 letters, more than 4096"},
		"activation": {chainOf(fourInputs, `{"class_name":"Dense","config":{"units":1,"activation":"`+long+`"}}`), graph.Limits{}, "has a name of 4097 letters, more than 4096"},
		"parsed": {functionalOf("d", `{"class_name":"Dense","name":"d","config":{"units":[`+strings.Repeat("1,", 100_000)+`1]},"inbound_nodes":[`+strings.Repeat(`[["x",0,0]],`, 500)+`[["x",0,0]]]}`),
			graph.Limits{}, "has parts that are read again and again: more than "},
	} {
		if _, err := Import([]byte(c.model), Options{Limits: c.limits}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
	}
	for what, model := range map[string]string{"models in models": nested(maxNested), "layers": chainOf(relus(50)...)} {
		if _, err := Import([]byte(model), Options{}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Layers that stand behind those that read them are called in rounds: who waits for a later one comes in the next.
func TestLayersAreCalledInRounds(t *testing.T) {
	m, err := Import([]byte(functionalOf("e", reluAfter("c", "b"), reluAfter("b", "a"), reluAfter("a", "x"), reluAfter("d", "a"), reluAfter("e", "c"))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range m.Graph.Components {
		got = append(got, c.ID)
	}
	if want := []string{"x", "a", "d", "b", "c", "e", "output"}; !slices.Equal(got, want) {
		t.Errorf("called in the order %v, want %v", got, want)
	}
}

// Work is counted and not measured: each call of a chain in reverse is looked at twice, however long the chain is.
func TestAReversedChainIsGoneOverOnce(t *testing.T) {
	const layers = 5000
	all := make([]string, 0, layers)
	for i := layers; i > 0; i-- {
		all = append(all, reluAfter(fmt.Sprint("a", i), fmt.Sprint("a", i-1)))
	}
	model := functionalOf(fmt.Sprint("a", layers), append(all, reluAfter("a0", "x"))...)
	m, err := Import([]byte(model), Options{})
	if err != nil || len(m.Graph.Components) != layers+3 {
		t.Fatalf("%v", err)
	}
}

// The number that makes a name unique is not looked for from the first on.
func TestUniqueNamesAreCounted(t *testing.T) {
	tr := &translation{taken: map[string]bool{"a_3": true}, next: map[string]int{}}
	var got []string
	for range 4 {
		got = append(got, tr.unique("a"))
	}
	if want := []string{"a", "a_2", "a_4", "a_5"}; !slices.Equal(got, want) || tr.next["a"] != 6 {
		t.Errorf("%v and then %d, want %v and 6", got, tr.next["a"], want)
	}
}

func TestConfigOfAnArchiveIsBounded(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("config.json")
	if err == nil {
		_, err = w.Write(bytes.Repeat([]byte(" "), 10_000))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Config(bytes.NewReader(b.Bytes()), int64(b.Len()), 1000); err == nil || err.Error() != "config.json has more than 1000 bytes" {
		t.Error(err)
	}
}
