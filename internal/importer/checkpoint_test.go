package importer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/modelverifier/verifier/internal/seed"
)

// tensors reads "name[2,3] other[4]".
func tensors(text string) []Tensor {
	var out []Tensor
	for _, f := range strings.Fields(text) {
		name, shape, _ := strings.Cut(strings.TrimSuffix(f, "]"), "[")
		t := Tensor{Name: name, Shape: []int64{}}
		for _, n := range strings.FieldsFunc(shape, func(c rune) bool { return c == ',' }) {
			var size int64
			fmt.Sscan(n, &size)
			t.Shape = append(t.Shape, size)
		}
		out = append(out, t)
	}
	return out
}

// text writes names alone.
func text(list []Tensor) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

const mixtral = "model.embed_tokens.weight[9,4] model.layers.0.mlp.gate.weight[2,4] model.layers.0.mlp.experts.gate_up_proj[2,12,4] " +
	"model.layers.0.mlp.experts.down_proj[2,4,6] model.layers.0.input_layernorm.weight[4] lm_head.weight[9,4]"

func TestACheckpointIsReadAsTransformersReadsIt(t *testing.T) {
	experts := func(place, gate, up, down string) string {
		s := ""
		for i := range 2 {
			s += fmt.Sprintf("%s.%d.%s.weight[6,4] %s.%d.%s.weight[6,4] %s.%d.%s.weight[4,6] ", place, i, gate, place, i, up, place, i, down)
		}
		return s
	}
	rest := "model.embed_tokens.weight[9,4] model.layers.0.input_layernorm.weight[4] lm_head.weight[9,4] "
	cases := []struct{ name, derived, stored, missing, extra, different, buffers, shared string }{
		{"as it is", mixtral, mixtral, "", "", "", "", ""},
		{"experts one by one, old names", mixtral, rest + experts("model.layers.0.block_sparse_moe.experts", "w1", "w3", "w2") + "model.layers.0.block_sparse_moe.gate.weight[2,4]", "", "", "", "", ""},
		{"experts one by one, new names", mixtral, rest + experts("model.layers.0.mlp.experts", "gate_proj", "up_proj", "down_proj") + "model.layers.0.mlp.gate.weight[2,4]", "", "", "", "", ""},
		{"an expert of another size", mixtral, strings.Replace(rest+experts("model.layers.0.mlp.experts", "gate_proj", "up_proj", "down_proj")+"model.layers.0.mlp.gate.weight[2,4]", "1.down_proj.weight[4,6]", "1.down_proj.weight[4,7]", 1),
			"model.layers.0.mlp.experts.down_proj", "model.layers.0.mlp.experts.0.down_proj.weight model.layers.0.mlp.experts.1.down_proj.weight", "", "", ""},
		{"an expert too few", mixtral, strings.Replace(rest+experts("model.layers.0.mlp.experts", "gate_proj", "up_proj", "down_proj")+"model.layers.0.mlp.gate.weight[2,4]", "model.layers.0.mlp.experts.0.down_proj.weight[4,6]", "", 1),
			"model.layers.0.mlp.experts.down_proj", "model.layers.0.mlp.experts.1.down_proj.weight", "", "", ""},
		{"all experts of another size", mixtral, strings.ReplaceAll(rest+experts("model.layers.0.mlp.experts", "gate_proj", "up_proj", "down_proj")+"model.layers.0.mlp.gate.weight[2,4]", "down_proj.weight[4,6]", "down_proj.weight[4,7]"),
			"", "", "model.layers.0.mlp.experts.down_proj: derived [2,4,6], stored [2,4,7]", "", ""},
		{"no gates", "a.experts.up_proj[2,6,4] a.experts.down_proj[2,4,6]", "a.experts.0.up_proj.weight[6,4] a.experts.1.up_proj.weight[6,4] a.experts.0.down_proj.weight[4,6] a.experts.1.down_proj.weight[4,6]", "", "", "", "", ""},
		{"experts that are derived one by one", "a.experts.0.up_proj.weight[6,4]", "a.experts.0.up_proj.weight[6,4]", "", "", "", "", ""},
		{"without the prefix, with masks and the head", "transformer.wte.weight[9,4] transformer.h.0.attn.c_attn.bias[12]", "wte.weight[9,4] h.0.attn.c_attn.bias[12] h.0.attn.bias[1,1,8,8] h.0.attn.masked_bias[] lm_head.weight[9,4]", "", "", "", "h.0.attn.bias h.0.attn.masked_bias", "lm_head.weight"},
		{"with a prefix more", "wte.weight[9,4]", "transformer.wte.weight[9,4]", "", "", "", "", ""},
		{"old norms", "bert.embeddings.LayerNorm.weight[4] bert.embeddings.LayerNorm.bias[4]", "bert.embeddings.LayerNorm.gamma[4] bert.embeddings.LayerNorm.beta[4] bert.embeddings.position_ids[1,8]", "", "", "", "bert.embeddings.position_ids", ""},
		{"old norms and no prefix", "bert.embeddings.LayerNorm.weight[4]", "embeddings.LayerNorm.gamma[4]", "", "", "", "", ""},
		{"shared under other names", "shared.weight[9,4]", "encoder.embed_tokens.weight[9,4] decoder.embed_tokens.weight[9,4]", "", "", "", "", "encoder.embed_tokens.weight"},
		{"a head of another size", "model.embed_tokens.weight[9,4]", "model.embed_tokens.weight[9,4] lm_head.weight[8,4]", "", "lm_head.weight", "", "", ""},
		{"a head that is missing", "model.embed_tokens.weight[9,4] lm_head.weight[9,4]", "model.embed_tokens.weight[9,4]", "lm_head.weight", "", "", "", ""},
		{"statistics", "bn.weight[4] bn.bias[4]", "bn.weight[4] bn.bias[4] bn.running_mean[4] bn.running_var[4] bn.num_batches_tracked[]", "", "", "", "bn.num_batches_tracked bn.running_mean bn.running_var", ""},
		{"something else", "a.weight[4]", "a.weight[4] b.weight[4]", "", "b.weight", "", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			stored := tensors(c.stored)
			for range 2 {
				r := CompareCheckpoint(tensors(c.derived), stored, nil)
				different := ""
				for _, d := range r.Different {
					different += d.String()
				}
				got := []string{text(r.Missing), text(r.Extra), different, text(r.Buffers), text(r.Shared)}
				if want := []string{c.missing, c.extra, c.different, c.buffers, c.shared}; !reflect.DeepEqual(got, want) {
					t.Errorf("got  %q\nwant %q", got, want)
				}
				if r.Stored.Tensors != len(stored) {
					t.Errorf("%d tensors are stored, not %d", len(stored), r.Stored.Tensors)
				}
				slices.Reverse(stored)
			}
		})
	}
}

func TestFurtherNamesAreTaken(t *testing.T) {
	r := CompareCheckpoint(tensors("model.norm.weight[4]"), tensors("output_norm.weight[4]"), func(name string) []string {
		return []string{"model.final.weight", strings.Replace(name, "output_norm", "model.norm", 1)}
	})
	if !r.Agrees() {
		t.Error(r)
	}
}

func TestEveryStoredTensorIsAccountedFor(t *testing.T) {
	name := rapid.SampledFrom(strings.Fields("lm_head.weight model.lm_head.weight embed_tokens.weight model.embed_tokens.weight a.running_mean x.experts.0.w1.weight x.experts.0.w3.weight x.experts.0.w2.weight x.experts.1.w1.weight x.experts.gate_up_proj x.experts.down_proj x.LayerNorm.gamma x.LayerNorm.weight LayerNorm.gamma"))
	tensor := rapid.Custom(func(t *rapid.T) Tensor {
		return Tensor{Name: name.Draw(t, "name"), Shape: rapid.SliceOfN(rapid.Int64Range(1, 2), 1, 3).Draw(t, "shape")}
	})
	list := rapid.SliceOfDistinct(tensor, func(x Tensor) string { return x.Name })
	rapid.Check(t, func(t *rapid.T) {
		derived, stored := list.Draw(t, "derived"), list.Draw(t, "stored")
		r := CompareCheckpoint(derived, stored, nil)
		if n := r.Matched + len(r.Different) + len(r.Missing); n != len(derived) {
			t.Fatalf("%d of %d derived tensors are accounted for: %+v", n, len(derived), r)
		}
		if n := r.Matched + len(r.Different) + len(r.Extra) + len(r.Buffers) + len(r.Shared); n > len(stored) {
			t.Fatalf("%d stored tensors became %d: %+v", len(stored), n, r)
		}
		if !CompareCheckpoint(derived, derived, nil).Agrees() {
			t.Fatal("a list does not agree with itself")
		}
		before := fmt.Sprint(r)
		slices.Reverse(derived)
		slices.Reverse(stored)
		if after := CompareCheckpoint(derived, stored, nil); fmt.Sprint(after) != before || !reflect.DeepEqual(after, r) {
			t.Fatalf("%+v\n%+v", r, after)
		}
	})
}

// What one shared matrix more among the stored ones costs does not depend on how many there are among the derived ones.
func TestSharedMatricesAreLookedUp(t *testing.T) {
	const stored = 2000
	made := func(derived int) float64 {
		var d, s []Tensor
		for i := range derived {
			d = append(d, Tensor{Name: fmt.Sprintf("m.%d.lm_head.weight", i), Shape: []int64{0}})
		}
		for i := range stored {
			s = append(s, Tensor{Name: fmt.Sprintf("%d.lm_head.weight", i), Shape: []int64{0}})
		}
		c := &checkpoint{derived: map[string]Tensor{}, taken: map[string]bool{}}
		for _, t := range d {
			c.derived[t.Name] = t
		}
		return testing.AllocsPerRun(1, func() {
			for _, t := range s {
				if name, free := c.twin(t); name != "m.0.lm_head.weight" || !free {
					panic(name)
				}
			}
		})
	}
	few, many := made(10), made(1000)
	if many > few+stored {
		t.Errorf("%d tensors take %.0f allocations beside 10 derived ones and %.0f beside 1000", stored, few, many)
	}
}

// The first name that is free is given, in order, and where none is any of that shape.
func TestTwinsAreTakenInOrder(t *testing.T) {
	c := &checkpoint{derived: map[string]Tensor{}, taken: map[string]bool{"b.lm_head.weight": true}}
	for _, name := range []string{"c.lm_head.weight", "a.lm_head.weight", "b.lm_head.weight", "d.other"} {
		c.derived[name] = Tensor{Name: name, Shape: []int64{2, 3}}
	}
	for _, want := range []struct {
		name string
		free bool
	}{{"a.lm_head.weight", true}, {"c.lm_head.weight", true}, {"a.lm_head.weight", false}} {
		name, free := c.twin(Tensor{Shape: []int64{2, 3}})
		if name != want.name || free != want.free {
			t.Errorf("%s, %v, want %s, %v", name, free, want.name, want.free)
		}
		c.taken[name] = true
	}
	if name, free := c.twin(Tensor{Shape: []int64{3, 2}}); name != "" || free {
		t.Errorf("%s, %v", name, free)
	}
}
