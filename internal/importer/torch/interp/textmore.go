package interp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// More methods of str: where a part is, and what its characters are.

func init() {
	for name, fn := range map[string]method{
		"rfind": func(in *Interp, v Value, a *Args) Value {
			return int64(strings.LastIndex(v.(string), Str(in.one(a, "rfind"))))
		},
		"index":  placeOf("index", strings.Index),
		"rindex": placeOf("rindex", strings.LastIndex),
		"rpartition": func(in *Interp, v Value, a *Args) Value {
			s, sep := v.(string), Str(in.one(a, "rpartition"))
			if i := strings.LastIndex(s, sep); i >= 0 {
				return NewTuple(s[:i], sep, s[i+len(sep):])
			}
			return NewTuple("", "", s)
		},
		"splitlines": func(in *Interp, v Value, _ *Args) Value {
			s := strings.TrimSuffix(strings.ReplaceAll(v.(string), "\r\n", "\n"), "\n")
			if s == "" {
				return NewList()
			}
			return in.textList(strings.SplitSeq(s, "\n"))
		},
		"isalpha":   allOf(unicode.IsLetter),
		"isalnum":   allOf(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }),
		"isspace":   allOf(unicode.IsSpace),
		"isnumeric": allOf(unicode.IsDigit), "isdecimal": allOf(unicode.IsDigit),
		"isupper": cased(unicode.IsLower, unicode.IsUpper), "islower": cased(unicode.IsUpper, unicode.IsLower),
		"isascii": func(_ *Interp, v Value, _ *Args) Value {
			return strings.IndexFunc(v.(string), func(c rune) bool { return c > unicode.MaxASCII }) < 0
		},
	} {
		textMethods[name] = fn
	}
}

// placeOf is where a part begins, counted in characters. It raises where there is none.
func placeOf(name string, find func(s, part string) int) method {
	return func(in *Interp, v Value, a *Args) Value {
		if len(a.Pos) != 1 {
			return in.Unknown("%s of a part of a string is not followed", name)
		}
		i := find(v.(string), Str(a.Pos[0]))
		if i < 0 {
			in.Raise("ValueError", "substring not found")
		}
		return int64(utf8.RuneCountInString(v.(string)[:i]))
	}
}

// allOf reports whether there are characters, all of a kind.
func allOf(kind func(rune) bool) method {
	return func(_ *Interp, v Value, _ *Args) Value {
		s := v.(string)
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !kind(c) }) < 0
	}
}

// cased reports whether some characters are of a case, and none of the other.
func cased(other, kind func(rune) bool) method {
	return func(_ *Interp, v Value, _ *Args) Value {
		return strings.IndexFunc(v.(string), kind) >= 0 && strings.IndexFunc(v.(string), other) < 0
	}
}
