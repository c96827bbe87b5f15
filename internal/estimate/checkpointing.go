package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// findUnits says what checkpointing computes again together: every attention layer and block by itself, as torch.utils.checkpoint
// around it does, and of transformers' models a whole layer, as gradient_checkpointing_enable does. Of layers inside a stage that is computed
// again, too, each is: what it reads is there with its stage, and the others are through or not yet there.
func (s *stepper) findUnits() {
	s.units = make([]int32, len(s.res.Nodes))
	layers, count := map[string]int32{}, int32(0)
	for _, i := range s.order {
		n := &s.res.Nodes[i]
		name := ""
		switch {
		case s.how[i].has(transformers):
			if name = layerOf(n.Component.Scope()); name == "" {
				continue
			}
			if s.how[i].has(nested) {
				name += layerOf(n.Component.Scope()[len(name):])
			}
		case !recomputes(n):
			continue
		}
		unit := layers[name]
		if name == "" || unit == 0 {
			count++
			unit = count
			if name != "" {
				layers[name] = unit
			}
		}
		s.units[i] = unit
	}
	s.memory.again = int64(count)
}

// layerOf is the path of the layer that a module belongs to: up to its first number. Empty where there is none.
func layerOf(scope string) string {
	for at := 0; at < len(scope); {
		end := strings.IndexByte(scope[at:], '.')
		if end < 0 {
			end = len(scope) - at
		}
		if part := scope[at : at+end]; part != "" && strings.Trim(part, "0123456789") == "" {
			return scope[:at+end]
		}
		at += end + 1
	}
	return ""
}

// recomputes reports whether checkpointing covers a component of PyTorch's.
func recomputes(n *infer.Node) bool {
	return n.Type.Has(catalog.IsAttention) || n.Type.Group == catalog.Blocks
}

// unitOf is the unit of a component, 0 where it is not computed again.
func (s *stepper) unitOf(i int) int32 {
	if s.units == nil {
		return 0
	}
	return s.units[i]
}

// keepMask keeps the mask that scores in memory are added to, one for each sample: it is handed to each layer of transformers' models, and so kept to
// compute them again. Encoders have none where nothing is padded.
func (s *stepper) keepMask(p, i int) {
	n := &s.res.Nodes[i]
	if !s.how[i].has(transformers) || s.o.Attention != "eager" || !looksBack(n) || !s.plainShapes(n) {
		return
	}
	queries, keys, kind := n.In[0][0], n.In[min(1, len(n.In)-1)][0], 0
	if windowed(n, keys) {
		kind = 1
	}
	if !s.masked[kind] {
		s.masked[kind] = true
		s.put(p, 0, block(times(queries, keys, s.o.Batch, weightSize(s.o.Precision))))
	}
}

// recomputed is what each unit has in memory once it is computed again.
func (s *stepper) recomputed() []int64 {
	if s.units == nil {
		return nil
	}
	out := make([]int64, s.memory.again+1)
	for p, i := range s.order {
		out[s.units[i]] = plus(out[s.units[i]], s.dropped[p])
	}
	return out
}
