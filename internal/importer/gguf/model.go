package gguf

import (
	"fmt"
	"io/fs"

	"github.com/modelverifier/verifier/internal/importer"
)

const ending = ".gguf"

// Model is a model in one file, or in several that were split.
type Model struct {
	Files    []*File
	Metadata []Entry // of the first file
	Tensors  []importer.Tensor
}

// ReadModel reads a model, given the name of its file or of any of the files that it was split into.
func ReadModel(fsys fs.FS, name string) (*Model, error) {
	f, err := ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	parts := int64(1)
	if v := f.Get("split.count"); v != nil {
		var ok bool
		if parts, ok = v.Int(); !ok || parts < 0 {
			return nil, bad(name, "split.count is %s, which is no number of files", v)
		}
	}
	if parts <= 1 {
		return &Model{Files: []*File{f}, Metadata: f.Metadata, Tensors: f.Tensors}, nil
	}
	stem, number, of, ok := importer.Numbered(name, ending)
	if !ok || int64(of) != parts {
		return nil, bad(name, "is one of %d files, but is not named as one: …-00001-of-%05d%s", parts, parts, ending)
	}
	files := make([]*File, of)
	files[number-1] = f
	for i := range files {
		if files[i] == nil {
			part := fmt.Sprintf("%s-%05d-of-%05d%s", stem, i+1, of, ending)
			if files[i], err = ReadFile(fsys, part); err != nil {
				return nil, err
			}
		}
	}
	return join(files)
}

// join brings the parts of a model together, and demands that they say of themselves what their names say.
func join(files []*File) (*Model, error) {
	m := &Model{Files: files, Metadata: files[0].Metadata}
	in := map[string]string{}
	for i, f := range files {
		if no, ok := f.Get("split.no").Int(); !ok || no != int64(i) {
			return nil, bad(f.Name, "should be part %d of %d, counted from 0, but split.no is %v", i, len(files), f.Get("split.no"))
		}
		if n, ok := f.Get("split.count").Int(); !ok || n != int64(len(files)) {
			return nil, bad(f.Name, "should be one of %d parts, but split.count is %v", len(files), f.Get("split.count"))
		}
		for _, t := range f.Tensors {
			if other, twice := in[t.Name]; twice {
				return nil, bad(f.Name, "tensor %q is also in %s", t.Name, other)
			}
			in[t.Name] = f.Name
		}
		m.Tensors = append(m.Tensors, f.Tensors...)
	}
	if v := files[0].Get("split.tensors.count"); v != nil {
		if n, ok := v.Int(); !ok || n != int64(len(m.Tensors)) {
			return nil, bad(files[0].Name, "split.tensors.count is %s, but the %d files hold %d tensors", v, len(files), len(m.Tensors))
		}
	}
	return m, nil
}

// Get returns a fact of a file, or nil.
func (f *File) Get(key string) *Value { return find(f.Metadata, key) }

// Get returns a fact of a model, or nil.
func (m *Model) Get(key string) *Value { return find(m.Metadata, key) }

func find(entries []Entry, key string) *Value {
	for i := range entries {
		if entries[i].Key == key {
			return &entries[i].Value
		}
	}
	return nil
}

// Architecture is what the file says the model is: llama, qwen2.
func (m *Model) Architecture() string {
	s, _ := m.Get("general.architecture").Text()
	return s
}

// Of returns a fact that the architecture's name stands in front of: block_count for llama.block_count.
func (m *Model) Of(key string) *Value { return m.Get(m.Architecture() + "." + key) }

// facts are the keys that describe a model, behind the architecture's name.
var facts = []string{
	"context_length", "embedding_length", "block_count", "feed_forward_length", "expert_feed_forward_length", "expert_count", "expert_used_count",
	"expert_shared_count", "leading_dense_block_count", "vocab_size", "attention.head_count", "attention.head_count_kv", "attention.key_length",
	"attention.value_length", "attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon", "attention.sliding_window", "attention.q_lora_rank",
	"attention.kv_lora_rank", "rope.dimension_count", "rope.freq_base", "rope.scaling.type", "rope.scaling.factor",
	"rope.scaling.original_context_length", "ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.time_step_rank", "ssm.group_count",
	"nextn_predict_layers", "pooling_type", "attention.causal",
}

// general are the keys that describe any model.
var general = []string{
	"general.architecture", "general.name", "general.type", "general.size_label", "general.file_type", "general.quantization_version", "tokenizer.ggml.model",
}

// Facts lists what describes the model, in a fixed order: its tokenizer and the prose about it are left out. The size of the vocabulary,
// which many files give only by listing it, is the last.
func (m *Model) Facts() []Entry {
	var out []Entry
	for _, key := range general {
		if v := m.Get(key); v != nil {
			out = append(out, Entry{key, *v})
		}
	}
	for _, key := range facts {
		if v := m.Of(key); v != nil {
			out = append(out, Entry{m.Architecture() + "." + key, *v})
		}
	}
	if v := m.Get("tokenizer.ggml.tokens"); v != nil && v.Type == Array {
		out = append(out, Entry{"tokenizer.ggml.tokens", *v})
	}
	return out
}
