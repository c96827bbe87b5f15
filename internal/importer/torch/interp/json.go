package interp

import (
	"encoding/json"
	"io"
	"strings"
)

// jsonNames is json: what a program reads of its own files and texts.
func jsonNames() map[string]Value {
	decoder := NewClass("JSONDecodeError")
	return map[string]Value{
		"loads": Fn("loads", func(in *Interp, a *Args) Value { return in.parsed(in.one(a, "loads"), parseJSON) }),
		"load":  Fn("load", func(in *Interp, a *Args) Value { return in.parsed(in.one(a, "load"), parseJSON) }),
		"dumps": Fn("dumps", func(in *Interp, a *Args) Value { return in.harmless("json.dumps") }),
		"dump":  Fn("dump", func(*Interp, *Args) Value { return nil }), "JSONDecodeError": decoder,
	}
}

// Parsed reads a text, or an open file, by a parser of its format. nil is what the text is not of.
func (in *Interp) Parsed(v Value, parse func(*Interp, string) (Value, bool)) Value {
	return in.parsed(v, parse)
}

func (in *Interp) parsed(v Value, parse func(*Interp, string) (Value, bool)) Value {
	if x, ok := v.(*Instance); ok && x.Class == fileClass {
		v = x.Native
	}
	switch s := v.(type) {
	case string:
		in.work(len(s))
		if out, ok := parse(in, s); ok {
			return out
		}
		return in.Unknown("a text is not of its format, or too large")
	case *Unknown:
		return s
	}
	return in.Unknown("a %s is parsed", TypeName(v))
}

func parseJSON(in *Interp, s string) (Value, bool) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	v, ok := in.jsonValue(d, 0)
	if ok {
		_, err := d.Token()
		ok = err == io.EOF
	}
	return v, ok
}

// maxNesting is how deep values of a configuration may lie in each other.
const maxNesting = 100

func (in *Interp) jsonValue(d *json.Decoder, depth int) (Value, bool) {
	t, err := d.Token()
	if err != nil || depth > maxNesting {
		return nil, false
	}
	in.spend(1)
	switch x := t.(type) {
	case json.Delim:
		return in.jsonContainer(d, x, depth)
	case json.Number:
		if n, err := x.Int64(); err == nil && !strings.ContainsAny(x.String(), ".eE") {
			return n, true
		}
		f, err := x.Float64()
		return f, err == nil
	case string:
		return in.text(x), true
	case bool:
		return x, true
	}
	return nil, true
}

func (in *Interp) jsonContainer(d *json.Decoder, open json.Delim, depth int) (Value, bool) {
	list, dict := NewList(), NewDict()
	for d.More() {
		if open == '{' {
			k, ok := in.jsonValue(d, depth+1)
			if !ok {
				return nil, false
			}
			v, ok := in.jsonValue(d, depth+1)
			if !ok {
				return nil, false
			}
			dict.Set(k, v)
			continue
		}
		v, ok := in.jsonValue(d, depth+1)
		if !ok {
			return nil, false
		}
		list.Items = append(list.Items, v)
	}
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	if open == '{' {
		return dict, true
	}
	return list, true
}
