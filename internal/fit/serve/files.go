package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

const maxFileBytes = 64 << 10

// configFlag is where a command names its configuration file.
const configFlag = "--config"

// configFiles reads the file that the command names, if the caller gave its text. vLLM and SGLang take its keys as flags that
// the command overrides; in TensorRT-LLM the file overrides the command.
func (l *launch) configFiles() {
	name, ok := l.str(configFlag)
	if !ok || l.engine.flags().byName[configFlag] == nil {
		return
	}
	if end := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]); l.engine.dialect != click && end != "yaml" && end != "yml" {
		l.block("config-file", nil, "%s is no .yaml or .yml file, which %s takes alone", clip(name, 120), l.engine.label)
		return
	}
	l.judged("config-file")
	i := slices.IndexFunc(l.request.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		l.warn("config-file", nil, "%s was not read: what it says is not judged", clip(name, 120))
		if l.engine.dialect == click {
			l.soften = firstOf(l.soften, "unless "+clip(name, 120)+" says otherwise")
		}
		return
	}
	file, read := l.files[name]
	if !read {
		file.values, file.err = readYAML(l.request.Files[i].Text)
		l.files[name] = file
	}
	if file.err != nil {
		l.block("config-file", nil, "%s cannot be read: %v", clip(name, 120), file.err)
		return
	}
	if l.engine.dialect == click {
		l.overrides(file.values)
		return
	}
	l.fileRead = true
	l.defaults(name, file.values)
}

// yamlFile is what a configuration file says, or why it cannot be read.
type yamlFile struct {
	values config
	err    error
}

// readYAML reads one document whose top is an object.
func readYAML(text string) (out config, err error) {
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(text), maxFileBytes)
	}
	v, err := newYAMLSize().decode(text)
	if err != nil {
		return nil, fmt.Errorf("it %w", err)
	}
	if v == nil {
		return config{}, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("its keys are no words")
	}
	if out = decodeConfig(string(b)); out == nil {
		return nil, errors.New("its top is no list of keys and values")
	}
	return out, nil
}

func (c config) keys() []string {
	keys := make([]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// scalar is a value as it would be written behind a flag.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	case bool:
		return strconv.FormatBool(v)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// defaults puts what a file says before the arguments of the command.
func (l *launch) defaults(file string, values config) {
	var words []word
	add := func(s string) { words = append(words, word{text: s, raw: quote(s)}) }
	for _, k := range values.keys() {
		name := "--" + strings.ReplaceAll(k, "_", "-")
		switch v := values[k].(type) {
		case nil:
		case bool: // one that is false is left out, even where there is a --no- form
			if v {
				add(name)
			}
		case []any:
			add(name)
			for _, x := range v {
				add(scalar(x))
			}
		default:
			if k == "model" || k == "model_tag" {
				if len(l.strays) == 0 {
					l.strays, l.strayAt = []word{{text: scalar(v), raw: quote(scalar(v))}}, []int{0}
				}
				continue
			}
			add(name)
			add(scalar(v))
		}
	}
	p := parseArguments(l.engine.flags(), l.engine.dialect, l.version, words, true)
	for i := range p.args {
		p.args[i].written += " in " + clip(file, 60)
	}
	held := len(p.args)
	args := p.args
	l.args = append(args, l.withoutDefaults(p.args)...)
	for i := range l.strayAt {
		l.strayAt[i] += held
	}
}

// withoutDefaults returns the command's own arguments, and takes from the file what they override.
func (l *launch) withoutDefaults(file []argument) []argument {
	last := map[*flag]*argument{} // of the command
	for j := range l.args {
		if a := &l.args[j]; a.flag != nil {
			last[a.flag] = a
		}
	}
	taken := map[*flag]bool{}
	for i := range file {
		if a := last[file[i].flag]; a != nil {
			file[i].values, file[i].problem, file[i].name, file[i].written = a.values, a.problem, a.name, a.written
			taken[a.flag] = true
		}
	}
	own := l.args[:0:0]
	for j := range l.args {
		if a := &l.args[j]; !taken[a.flag] || a.written != last[a.flag].written {
			own = append(own, *a)
		}
	}
	return own
}

// overrides puts what a file of TensorRT-LLM says behind the arguments of the command.
func (l *launch) overrides(values config) {
	l.fileValues = values
	set := func(name string, v any) {
		if f := l.engine.flags().byName[name]; f != nil && v != nil {
			s := scalar(v)
			l.args = append(l.args, argument{flag: f, name: name, written: f.env, values: []word{{text: s, raw: quote(s)}}})
		}
	}
	for _, k := range values.keys() {
		set("--"+k, values[k])
	}
	kv := values.object("kv_cache_config")
	set("--kv_cache_free_gpu_memory_fraction", kv["free_gpu_memory_fraction"])
	set("--kv_cache_dtype", kv["dtype"])
}
