package keras

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// row is a model that Keras built: see testdata/models.py.
type row struct {
	Name      string
	Trainable int64
	More      int64 // what PyTorch's layers have beyond Keras', as the notes say
	Output    [][]int64
	Model     json.RawMessage
}

func rows(t testing.TB) []row {
	t.Helper()
	f, err := os.Open("testdata/models.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []row
	for s := bufio.NewScanner(f); s.Scan(); {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func walked(m *Model) *infer.Result {
	g := m.Graph.Clone()
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func TestModelsHaveKerasCountsAndShapes(t *testing.T) {
	all := rows(t)
	if len(all) < 30 {
		t.Fatalf("%d models, want 30 or more", len(all))
	}
	for _, r := range all {
		t.Run(r.Name, func(t *testing.T) {
			m, err := Import(r.Model, Options{})
			if err != nil {
				t.Fatal(err)
			}
			res := walked(m)
			if f := res.First(); f != nil {
				t.Fatalf("%s: %s", res.Nodes[f.Node].Component.ID, f.Message)
			}
			if res.Params != r.Trainable+r.More || len(res.ParamsWithheld()) > 0 {
				t.Errorf("%d parameters without %v, Keras has %d\n%s", res.Params, res.ParamsWithheld(), r.Trainable, strings.Join(m.Notes, "\n"))
			}
			var got [][]int64
			for i := range res.Nodes {
				if n := &res.Nodes[i]; n.Type.ID == "output" {
					got = append(got, n.In[0])
				}
			}
			if !slices.EqualFunc(got, r.Output, slices.Equal) {
				t.Errorf("results are %v, Keras' %v", got, r.Output)
			}
		})
	}
}

func TestAnUnknownLayerStaysOpen(t *testing.T) {
	const model = `{"class_name":"Functional","config":{"name":"m","layers":[
		{"class_name":"InputLayer","name":"x","config":{"batch_shape":[null,4],"name":"x"},"inbound_nodes":[]},
		{"class_name":"Mystery","name":"a","config":{"name":"a"},"inbound_nodes":[{"args":[{"class_name":"__keras_tensor__","config":{"shape":[null,4],"keras_history":["x",0,0]}}],"kwargs":{}}]},
		{"class_name":"Dense","name":"d","config":{"units":2},"inbound_nodes":[{"args":[{"class_name":"__keras_tensor__","config":{"shape":[null,6],"keras_history":["a",0,0]}}],"kwargs":{}}]}],
		"input_layers":[["x",0,0]],"output_layers":[["d",0,0]]}}`
	m, err := Import([]byte(model), Options{})
	if err != nil {
		t.Fatal(err)
	}
	res := walked(m)
	if got := res.ParamsWithheld(); !slices.Equal(got, []string{"a"}) || res.Params != 14 {
		t.Errorf("%d parameters without %v, want 14 without a", res.Params, got)
	}
	if want := "a: stays open: the layer is not known"; !slices.Contains(m.Notes, want) {
		t.Errorf("%q is not among %q", want, m.Notes)
	}
}

func TestKeras2IsReadAsKeras3(t *testing.T) {
	const model = `{"class_name":"Model","config":{"name":"m","layers":[
		{"class_name":"InputLayer","config":{"batch_input_shape":[null,8,8,3],"name":"x"},"name":"x","inbound_nodes":[]},
		{"class_name":"Conv2D","config":{"name":"c","filters":4,"kernel_size":[3,3],"strides":[1,1],"padding":"same","use_bias":true,"activation":"relu"},"name":"c","inbound_nodes":[[["x",0,0,{}]]]},
		{"class_name":"Flatten","config":{"name":"f"},"name":"f","inbound_nodes":[[["c",0,0,{}]]]},
		{"class_name":"Dense","config":{"name":"d","units":2},"name":"d","inbound_nodes":[[["f",0,0,{}]]]}],
		"input_layers":[["x",0,0]],"output_layers":[["d",0,0]]},"keras_version":"2.4.0","backend":"tensorflow"}`
	if !Marked([]byte(model)) {
		t.Error("it is not told by what is in it")
	}
	m, err := Import([]byte(model), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res := walked(m); res.Params != 112+514 || res.First() != nil {
		t.Errorf("%d parameters, want 626; %v", res.Params, res.First())
	}
}

func TestRefusalsSayWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                      "is not JSON",
		`{"class_name":"MyNet"}`: `class_name is "MyNet" but must be Sequential, Functional or Model`,
		`{"class_name":"Sequential","config":{}}`: "must have a list named layers",
		`{"class_name":"Functional","config":{"layers":[{"class_name":"Dense","name":"d","inbound_nodes":[[["x",0,0]]]}]}}`: "layer d reads what no layer gives",
	} {
		if _, err := Import([]byte(text), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestConfigOfAnArchive(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("config.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(`{"class_name":"Sequential"}`)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Config(bytes.NewReader(b.Bytes()), int64(b.Len()), 0)
	if err != nil || string(got) != `{"class_name":"Sequential"}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Config(strings.NewReader("none"), 4, 0); err == nil || !strings.Contains(err.Error(), "is no .keras file") {
		t.Errorf("%v", err)
	}
}

// FuzzImport holds that whatever is JSON is read or refused, the same way twice, and that what is read can be judged.
func FuzzImport(f *testing.F) {
	for _, r := range rows(f) {
		f.Add([]byte(r.Model))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Import(data, Options{})
		if err != nil {
			return
		}
		b, err := Import(data, Options{})
		if err != nil || string(a.Graph.AppendJSON(nil)) != string(b.Graph.AppendJSON(nil)) || !slices.Equal(a.Notes, b.Notes) {
			t.Fatal("two readings of one file differ")
		}
		walked(a)
	})
}
