package config

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
)

// Object is an object inside a config that has no class, and so no defaults: rope_parameters and the like.
func Object(values map[string]any, path string) *Config { return &Config{values: values, path: path} }

// Inner is an object inside the config that has no class: rope_parameters and the like, or one inside it. It is empty
// where there is none.
func (c *Config) Inner(key string, keys ...string) *Config {
	v, path := c.Value(key), c.At(key)
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v, path = m[k], path+"."+k
	}
	values, _ := v.(map[string]any)
	return &Config{values: values, path: path, lists: c.lists}
}

// Put sets a key, as a class does that takes it from another one.
func (c *Config) Put(key string, v any) { c.values[key] = v }

// Replaced is the config with another value of a key.
func (c *Config) Replaced(key string, v any) *Config {
	out := *c
	if out.values = maps.Clone(c.values); out.values == nil {
		out.values = map[string]any{}
	}
	out.values[key] = v
	return &out
}

// Part reads the config of a part. behind, an object as JSON, has what the whole's class puts behind the part's keys.
// Every key can be read under each of its names.
func (c *Config) Part(key, otherwise, behind string) *Config {
	sub := c.Sub(key, otherwise)
	fields := maps.Clone(sub.class.Fields)
	if behind != "" {
		d := json.NewDecoder(strings.NewReader(behind))
		d.UseNumber()
		var own map[string]any
		if err := d.Decode(&own); err != nil {
			panic("hf: " + c.Type() + ": " + err.Error()) // the text is ours
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

// WithDefault is the config with another default of a key.
func (c *Config) WithDefault(key string, n int64) *Config {
	out := *c
	out.class.Fields = maps.Clone(c.class.Fields)
	out.class.Fields[key] = json.Number(strconv.FormatInt(n, 10))
	return &out
}

// WithName is the config with another name of a key.
func (c *Config) WithName(alias, key string) *Config {
	out := *c
	out.values, out.class.Fields = maps.Clone(c.values), maps.Clone(c.class.Fields)
	out.class.Fields[alias] = c.class.Fields[key]
	if v, ok := c.values[key]; ok {
		out.values[alias] = v
	}
	return &out
}

// Unless is what a class puts behind the keys of a part that the config leaves out altogether.
func (c *Config) Unless(key, behind string) string {
	if c.Has(key) {
		return ""
	}
	return behind
}
