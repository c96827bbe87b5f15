package hf

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
)

// inner is a model inside another: what is done with its embedded text, and what it gives.
type inner struct {
	mix        func(x Node) Node
	table, out Node
}

// LanguageModel adds the language model that the config of a part describes, without its head, at a place. mix gets the
// embedded text and returns what the layers read: most put the features of a sound or an image into it. The table of tokens
// comes with the result, because the head may be tied to it.
func (b *Build) LanguageModel(name string, c *Config, mix func(x Node) Node) (x, table Node) {
	family := families[c.modelType]
	if family == nil {
		fail(CodeArchitecture, c.at("model_type"), "%q is not modelled", c.modelType)
	}
	build := family.Classes[strings.TrimSuffix(family.Default, "ForCausalLM")+"Model"]
	if build == nil {
		fail(CodeArchitecture, c.at("model_type"), "%q is not modelled as a part of another model", c.modelType)
	}
	outer, part := b.state.inner, &inner{mix: mix}
	b.state.inner = part
	build(b.Scope("%s", name).With(c))
	b.state.inner = outer
	if part.mix != nil {
		fail(CodeArchitecture, c.at("model_type"), "%q is not modelled as a part of another model", c.modelType)
	}
	return part.out, part.table
}

// mixIn is the embedded text, into which the model that holds this one may have put something.
func (b *Build) mixIn(x Node) Node {
	part := b.state.inner
	if part == nil || part.mix == nil {
		return x
	}
	mix := part.mix
	part.table, part.mix = x, nil
	return mix(x)
}

// Part reads the config of a part. behind, an object as JSON, has what the whole's class puts behind the part's keys. Every key
// can be read under each of its names.
func (c *Config) Part(key, otherwise, behind string) *Config {
	sub := c.Sub(key, otherwise)
	fields := maps.Clone(sub.class.Fields)
	if behind != "" {
		d := json.NewDecoder(strings.NewReader(behind))
		d.UseNumber()
		var own map[string]any
		if err := d.Decode(&own); err != nil {
			panic("hf: " + c.modelType + ": " + err.Error()) // the text is ours
		}
		maps.Copy(fields, own)
	}
	values := maps.Clone(sub.values)
	for alias, field := range sub.class.Aliases { // each alias is set by itself: the order does not matter
		if v, ok := sub.values[field]; ok {
			values[alias] = v
		}
		fields[alias] = fields[field]
	}
	sub.values, sub.class.Fields = values, fields
	return sub
}

// with is the config with another default of a key.
func (c *Config) with(key string, n int64) *Config {
	out := *c
	out.class.Fields = maps.Clone(c.class.Fields)
	out.class.Fields[key] = json.Number(strconv.FormatInt(n, 10))
	return &out
}

// named is the config with another name of a key.
func (c *Config) named(alias, key string) *Config {
	out := *c
	out.values, out.class.Fields = maps.Clone(c.values), maps.Clone(c.class.Fields)
	out.class.Fields[alias] = c.class.Fields[key]
	if v, ok := c.values[key]; ok {
		out.values[alias] = v
	}
	return &out
}

// unless is what a class puts behind the keys of a part that the config leaves out altogether.
func (c *Config) unless(key, behind string) string {
	if c.Has(key) {
		return ""
	}
	return behind
}

// Listen adds a language model and its head. The features of a sound stand in its text where that has places for them.
func (b *Build) Listen(text *Config, features Node) {
	dim, m := text.Size("hidden_size"), b.Scope("model")
	x, table := m.LanguageModel("language_model", text, func(x Node) Node { return m.With(text).scatter(x, features, dim) })
	b.Output(b.LMHead(x, "lm_head", dim, text.Size("vocab_size"), false, table, b.Bool("tie_word_embeddings")))
}

// Stack puts neighbours of a sequence into one row.
func (b *Build) Stack(x Node, count, width int64) Node {
	return b.Add("reshape", "", Args{Ints("shape", count, width)}, x)
}

// Projector maps features to the text's width by one or two maps.
func (b *Build) Projector(x Node, in, mid, out int64, bias bool, act string) Node {
	m := b.Scope("model.multi_modal_projector")
	x = m.Act(m.Linear(x, "linear_1", in, mid, bias), act, "projector_hidden_act")
	return m.Linear(x, "linear_2", mid, out, bias)
}
