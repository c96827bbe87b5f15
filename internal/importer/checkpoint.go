package importer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A checkpoint does not name its tensors exactly as the modules of today's transformers do, and holds more than parameters. What differs is
// known, and loading takes care of it (transformers 5, conversion_mapping.py and modeling_utils.py), so it is no difference here either: a
// head that is saved without the prefix of the model it belongs to, experts that are saved one by one, names of old versions, weights that
// are shared and saved under each of their names, and buffers.

// expert is a weight of one expert: what holds the experts, its number, its part.
var expert = regexp.MustCompile(`^(.*experts)\.([0-9]{1,6})\.(w1|w2|w3|gate_proj|up_proj|down_proj)\.weight$`)

// older are pieces of names as they were, and as they are.
var older = [][2]string{
	{".block_sparse_moe.", ".mlp."}, {"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"},
	{".weight_g", ".parametrizations.weight.original0"}, {".weight_v", ".parametrizations.weight.original1"},
}

// buffers end the names of tensors that are saved and not trained: statistics, masks, and what follows from the configuration.
var buffers = []string{
	".running_mean", ".running_var", ".num_batches_tracked", "rotary_emb.inv_freq", ".position_ids", ".attn.bias", ".attn.masked_bias",
	".attention.bias", ".attention.masked_bias", ".relative_position_index", ".token_type_ids", "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight",
}

// shared end the names under which one and the same matrix may be saved: the embedding, once for each that reads it, and the head.
var shared = []string{"embed_tokens.weight", "lm_head.weight", "shared.weight", "wte.weight", "word_embeddings.weight", "predictions.decoder.weight", "embed_out.weight", "decoder.weight", "decoder.bias", "predictions.bias", "lm_head.bias", "lm_head.decoder.weight", "lm_head.decoder.bias"}

// CompareCheckpoint compares as Compare does, after it has read the names of the stored tensors the way transformers reads them. A stored name
// is changed only where it is not derived and what it becomes is. also may offer further names of a tensor; it may be nil.
func CompareCheckpoint(derived, stored []Tensor, also func(name string) []string) Report {
	c := &checkpoint{derived: map[string]Tensor{}, taken: map[string]bool{}, also: also}
	for _, t := range derived {
		c.derived[t.Name] = t
		if prefix, _, ok := strings.Cut(t.Name, "."); ok && !slices.Contains(c.prefixes, prefix) {
			c.prefixes = append(c.prefixes, prefix)
		}
	}
	slices.Sort(c.prefixes)
	for _, t := range stored {
		if _, ok := c.derived[t.Name]; ok {
			c.taken[t.Name] = true
		}
	}
	named := c.rename(c.merge(sorted(stored)))
	kept, aside, twice := c.setAside(named)
	r := Compare(derived, kept)
	total, ok := Sum(stored)
	r.Stored, r.Overflow = total, r.Overflow || !ok
	r.Buffers, r.Shared = aside, twice
	return r
}

// checkpoint is a comparison on its way.
type checkpoint struct {
	derived  map[string]Tensor
	taken    map[string]bool // derived names that are stored
	prefixes []string        // first parts of derived names
	also     func(name string) []string
	twins    map[string]*twins // by their shapes, once one was asked for
}

// find returns the derived name that a stored one stands for, and that nothing else stands for.
func (c *checkpoint) find(name string) (string, bool) {
	for _, n := range c.names(name) {
		if _, ok := c.derived[n]; ok && !c.taken[n] {
			return n, true
		}
	}
	return "", false
}

// names lists what a stored name may stand for: as it is, in today's words, and each with a prefix more or less.
func (c *checkpoint) names(name string) []string {
	words := []string{name}
	if c.also != nil {
		words = append(words, c.also(name)...)
	}
	for _, o := range older {
		for _, w := range words {
			if strings.Contains(w, o[0]) {
				words = append(words, strings.Replace(w, o[0], o[1], 1))
			}
		}
	}
	out := slices.Clone(words)
	for _, w := range words {
		if _, rest, ok := strings.Cut(w, "."); ok {
			out = append(out, rest)
		}
		for _, p := range c.prefixes {
			out = append(out, p+"."+w)
		}
	}
	return out
}

// rename gives stored tensors their derived names.
func (c *checkpoint) rename(stored []Tensor) []Tensor {
	for i, t := range stored {
		if _, ok := c.derived[t.Name]; ok {
			continue
		}
		if name, ok := c.find(t.Name); ok {
			stored[i].Name = name
			c.taken[name] = true
		}
	}
	return stored
}

// stack is the weights of all experts of one place.
type stack struct {
	place string
	parts map[string][]Tensor // by part
}

// merge puts experts together that were saved one by one, where the derived ones are together: gates above ups, then downs.
func (c *checkpoint) merge(stored []Tensor) []Tensor {
	var out []Tensor
	stacks := map[string]*stack{}
	var places []string
	for _, t := range stored {
		m := expert.FindStringSubmatch(t.Name)
		if _, ok := c.derived[t.Name]; ok || m == nil {
			out = append(out, t)
			continue
		}
		s := stacks[m[1]]
		if s == nil {
			s = &stack{m[1], map[string][]Tensor{}}
			stacks[m[1]] = s
			places = append(places, m[1])
		}
		part := map[string]string{"w1": "gate", "w3": "up", "w2": "down"}[m[3]]
		part = cmp.Or(part, strings.TrimSuffix(m[3], "_proj"))
		s.parts[part] = append(s.parts[part], t)
	}
	for _, place := range places {
		out = append(out, c.together(stacks[place])...)
	}
	return out
}

// together makes one tensor of the weights of all experts, where one is derived; else they stay as they are, and are reported so.
func (c *checkpoint) together(s *stack) (out []Tensor) {
	for _, made := range []struct {
		name  string
		parts []string
	}{{"gate_up_proj", []string{"gate", "up"}}, {"up_proj", []string{"up"}}, {"down_proj", []string{"down"}}} {
		name, ok := c.find(s.place + "." + made.name)
		if !ok {
			continue
		}
		if t, ok := pile(name, s, made.parts); ok {
			out = append(out, t)
			c.taken[name] = true
			for _, p := range made.parts {
				delete(s.parts, p)
			}
		}
	}
	for _, p := range []string{"down", "gate", "up"} {
		out = append(out, s.parts[p]...)
	}
	return out
}

// pile stacks matrices of one shape: one per expert, from number 0 on, and the parts above each other.
func pile(name string, s *stack, parts []string) (Tensor, bool) {
	made := Tensor{Name: name}
	rows, columns, experts := int64(0), int64(-1), len(s.parts[parts[0]])
	for _, p := range parts {
		list := s.parts[p]
		if len(list) != experts || experts == 0 || len(list[0].Shape) != 2 {
			return made, false
		}
		seen := make([]bool, experts)
		for _, t := range list {
			n, _ := strconv.Atoi(expert.FindStringSubmatch(t.Name)[2])
			if n >= experts || seen[n] || !slices.Equal(t.Shape, list[0].Shape) {
				return made, false
			}
			seen[n] = true
			made.Bytes += t.Bytes
			made.DType = t.DType
		}
		if columns >= 0 && columns != list[0].Shape[1] {
			return made, false
		}
		rows, columns = rows+list[0].Shape[0], list[0].Shape[1]
	}
	made.Shape = []int64{int64(experts), rows, columns}
	return made, true
}

// setAside takes out of the stored tensors those that no parameter is derived for and that need none: buffers, and matrices that are shared and
// saved once more. A shared matrix that is saved under another of its names than the derived one gets that name.
func (c *checkpoint) setAside(stored []Tensor) (kept, aside, twice []Tensor) {
	for _, t := range stored {
		_, ok := c.derived[t.Name]
		switch {
		case ok:
			kept = append(kept, t)
		case ends(t.Name, buffers):
			aside = append(aside, t)
		case slices.ContainsFunc(c.names(t.Name), func(n string) bool { return ends(n, shared) }):
			if name, free := c.twin(t); name == "" {
				kept = append(kept, t)
			} else if free {
				t.Name = name
				c.taken[name] = true
				kept = append(kept, t)
			} else {
				twice = append(twice, t)
			}
		default:
			kept = append(kept, t)
		}
	}
	return kept, sorted(aside), sorted(twice)
}

// twin finds the derived matrix that a stored one is the same as: one that is not stored under its own name, or else any of that shape.
func (c *checkpoint) twin(t Tensor) (name string, free bool) {
	if c.twins == nil {
		c.findTwins()
	}
	twins := c.twins[ShapeText(t.Shape)]
	if twins == nil {
		return "", false
	}
	for ; twins.free < len(twins.names); twins.free++ { // a name that is taken stays so
		if name := twins.names[twins.free]; !c.taken[name] {
			return name, true
		}
	}
	return twins.names[0], false
}

// twins are the derived tensors of one shape whose names end as those of shared matrices do, sorted, and the first that may be free.
type twins struct {
	names []string
	free  int
}

func (c *checkpoint) findTwins() {
	c.twins = map[string]*twins{}
	for name, d := range c.derived { // sorted below
		if !ends(name, shared) {
			continue
		}
		key := ShapeText(d.Shape)
		if c.twins[key] == nil {
			c.twins[key] = &twins{}
		}
		c.twins[key].names = append(c.twins[key].names, name)
	}
	for _, t := range c.twins {
		slices.Sort(t.names)
	}
}

func ends(name string, endings []string) bool {
	return slices.ContainsFunc(endings, func(e string) bool {
		rest, ok := strings.CutSuffix(name, e)
		return ok && (rest == "" || e[0] == '.' || strings.HasSuffix(rest, "."))
	})
}
