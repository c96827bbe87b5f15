package interp

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// str is str(v), where a class may say how.
func (in *Interp) str(v Value) string {
	if x, ok := v.(*Instance); ok {
		for _, name := range []string{"__str__", "__repr__"} {
			if m, ok := in.method(x, name); ok {
				if s, ok := in.Call(m, &Args{}).(string); ok {
					return s
				}
			}
		}
	}
	if s, ok := v.(string); ok {
		return s
	}
	return in.text(Str(v))
}

// repr is repr(v).
func (in *Interp) repr(v Value) string {
	if s, ok := v.(string); ok {
		in.text(s)
		return Repr(s)
	}
	return in.text(Repr(v))
}

// name is that of an attribute, which is looked for.
func (in *Interp) name(v Value) string {
	s := Str(v)
	in.work(len(s))
	return s
}

func texts(in *Interp, v Value) []string {
	switch x := v.(type) {
	case string:
		return []string{x}
	case *Tuple:
		var out []string
		in.work(len(x.Items))
		for _, item := range x.Items {
			out = append(out, in.str(item))
		}
		return out
	}
	in.Doubt("TypeError", "expected a string, not %s", TypeName(v))
	return nil
}

// textList is a list of texts, which is charged once it is there: it never has more than there is room for.
func (in *Interp) textList(parts iter.Seq[string]) Value {
	out := NewList()
	for p := range parts {
		if in.items+len(out.Items) >= MaxItems {
			in.spend(MaxItems + 1)
		}
		out.Items = append(out.Items, p)
	}
	return out
}

func plain(f func(string) string) method {
	return func(_ *Interp, v Value, _ *Args) Value { return f(v.(string)) }
}

func strip(f func(string, string) string) method {
	return func(in *Interp, v Value, a *Args) Value {
		cut := " \t\r\n\f\v"
		if len(a.Pos) > 0 && a.Pos[0] != nil {
			cut = Str(a.Pos[0])
		}
		in.work(len(v.(string)) * len(cut) / bytesPerItem)
		return f(v.(string), cut)
	}
}

func tests(f func(s, part string) bool) method {
	return func(in *Interp, v Value, a *Args) Value {
		for _, p := range texts(in, in.one(a, "startswith")) {
			in.work(min(len(p), len(v.(string))))
			if f(v.(string), p) {
				return true
			}
		}
		return false
	}
}

var textMethods map[string]method

func init() {
	textMethods = map[string]method{
		"lower": plain(strings.ToLower), "upper": plain(strings.ToUpper), "casefold": plain(strings.ToLower),
		"capitalize": plain(func(s string) string { return s[:min(1, len(s))] + strings.ToLower(s[min(1, len(s)):]) }),
		"strip":      strip(strings.Trim), "lstrip": strip(strings.TrimLeft), "rstrip": strip(strings.TrimRight),
		"startswith": tests(strings.HasPrefix), "endswith": tests(strings.HasSuffix),
		"isdigit": func(_ *Interp, v Value, _ *Args) Value {
			return v.(string) != "" && strings.Trim(v.(string), "0123456789") == ""
		},
		"split": func(in *Interp, v Value, a *Args) Value {
			b := a.Bind(in, "split", "sep", "maxsplit")
			if sep, ok := b[0].(string); ok && sep != "" {
				if n, ok := AsInt(b[1]); ok && n >= 0 {
					return in.textList(slices.Values(strings.SplitN(v.(string), sep, int(min(n, MaxItems))+1)))
				}
				return in.textList(strings.SplitSeq(v.(string), sep))
			}
			return in.textList(strings.FieldsSeq(v.(string)))
		},
		"rsplit": func(in *Interp, v Value, a *Args) Value {
			b := a.Bind(in, "rsplit", "sep", "maxsplit")
			sep, ok := b[0].(string)
			if n, _ := AsInt(b[1]); ok && n == 1 {
				if i := strings.LastIndex(v.(string), sep); i >= 0 {
					return NewList(v.(string)[:i], v.(string)[i+len(sep):])
				}
				return NewList(v)
			}
			return in.Unknown("rsplit is followed with one split only")
		},
		"join": func(in *Interp, v Value, a *Args) Value {
			var parts []string
			for _, x := range in.Iterate(in.one(a, "join")) {
				if u, ok := x.(*Unknown); ok {
					return u
				}
				parts = append(parts, Str(x))
				in.spendText(int64(len(parts[len(parts)-1])+len(v.(string))), 1)
			}
			return strings.Join(parts, v.(string))
		},
	}
}

func init() {
	for name, fn := range map[string]method{
		"replace": func(in *Interp, v Value, a *Args) Value {
			b := a.Bind(in, "replace", "old", "new", "count")
			n := int64(-1)
			if c, ok := AsInt(b[2]); ok {
				n = c
			}
			old, by := Str(b[0]), Str(b[1])
			times := strings.Count(v.(string), old)
			if n >= 0 {
				times = min(times, int(n))
			}
			in.spendText(int64(len(by)), int64(times))
			return strings.Replace(v.(string), old, by, int(n))
		},
		"find": func(in *Interp, v Value, a *Args) Value {
			return int64(strings.Index(v.(string), Str(in.one(a, "find"))))
		},
		"count": func(in *Interp, v Value, a *Args) Value {
			return int64(strings.Count(v.(string), Str(in.one(a, "count"))))
		},
		"format": func(in *Interp, v Value, a *Args) Value { return in.braces(v.(string), a) },
		"removeprefix": func(in *Interp, v Value, a *Args) Value {
			return strings.TrimPrefix(v.(string), Str(in.one(a, "removeprefix")))
		},
		"removesuffix": func(in *Interp, v Value, a *Args) Value {
			return strings.TrimSuffix(v.(string), Str(in.one(a, "removesuffix")))
		},
		"partition": func(in *Interp, v Value, a *Args) Value {
			sep := Str(in.one(a, "partition"))
			before, after, found := strings.Cut(v.(string), sep)
			if !found {
				sep = ""
			}
			return NewTuple(before, sep, after)
		},
		"zfill": func(in *Interp, v Value, a *Args) Value {
			n, _ := AsInt(in.one(a, "zfill"))
			return strings.Repeat("0", int(min(max(n-int64(len(v.(string))), 0), 1000))) + v.(string)
		},
	} {
		textMethods[name] = fn
	}
}

// percent is "…" % values. The values are written as str() does; widths and precisions only change how they look.
func (in *Interp) percent(s string, v Value) Value {
	in.work(len(s))
	in.text(s)
	values := []Value{v}
	if t, ok := v.(*Tuple); ok {
		values = t.Items
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		end := i + 1
		for end < len(s) && strings.IndexByte("0123456789.+-# ", s[end]) >= 0 {
			end++
		}
		switch {
		case end < len(s) && s[end] == '%':
			b.WriteByte('%')
		case end >= len(s) || len(values) == 0:
			return in.Unknown("a format string does not fit its values")
		default:
			if u, ok := values[0].(*Unknown); ok {
				return u
			}
			b.WriteString(in.text(in.printed(s[i:end+1], values[0])))
			values = values[1:]
		}
		i = end
	}
	return b.String()
}

func (in *Interp) printed(verb string, v Value) string {
	if n, ok := AsInt(v); ok && strings.HasSuffix(verb, "d") {
		return fmt.Sprintf(verb, n)
	}
	return in.str(v)
}

// braces is "…".format(…).
func (in *Interp) braces(s string, a *Args) Value {
	var b strings.Builder
	named := argumentPlaces(a.Kw)
	next := 0
	for i := 0; i < len(s); i++ {
		if (s[i] == '{' || s[i] == '}') && i+1 < len(s) && s[i+1] == s[i] {
			b.WriteByte(s[i])
			i++
			continue
		}
		if s[i] != '{' {
			b.WriteByte(s[i])
			continue
		}
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			return in.Unknown("a format string has an open brace")
		}
		name, _, _ := strings.Cut(s[i+1:i+end], ":")
		name, _, _ = strings.Cut(name, "!")
		i += end
		var v Value
		var ok bool
		switch {
		case name == "":
			if ok = next < len(a.Pos); ok {
				v = a.Pos[next]
			}
			next++
		case strings.Trim(name, "0123456789") == "":
			n, err := strconv.Atoi(name)
			if ok = err == nil && n < len(a.Pos); ok {
				v = a.Pos[n]
			}
		default:
			var k int
			if k, ok = argumentAt(a.Kw, named, name); ok {
				v = a.Kw[k].Value
			}
		}
		if u, unknown := v.(*Unknown); unknown || !ok {
			if unknown {
				return u
			}
			return in.Unknown("a format string does not fit its values")
		}
		b.WriteString(in.text(in.str(v)))
	}
	return b.String()
}
