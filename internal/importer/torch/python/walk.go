package python

import (
	"reflect"
	"strings"
)

// Each visits a node and all that it is made of, from the outside in and in the order of the source.
func Each(node any, visit func(any)) { each(reflect.ValueOf(node), visit, 0) }

func each(v reflect.Value, visit func(any), depth int) {
	if depth > 1000 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Interface())
			each(v.Elem(), visit, depth+1)
		}
	case reflect.Interface:
		if !v.IsNil() {
			each(v.Elem(), visit, depth+1)
		}
	case reflect.Slice:
		for i := range v.Len() {
			each(v.Index(i), visit, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanInterface() {
				each(v.Field(i), visit, depth+1)
			}
		}
	}
}

// Reads lists the names and attributes that a statement itself reads, without the blocks inside it.
func Reads(s Stmt) []Expr {
	var parts []any
	switch s := s.(type) {
	case *ExprStmt:
		parts = []any{s.X}
	case *Assign:
		parts = []any{s.Value}
	case *AugAssign:
		parts = []any{s.Target, s.Value}
	case *AnnAssign:
		parts = []any{s.Value}
	case *Return:
		parts = []any{s.X}
	case *Assert:
		parts = []any{s.Test}
	case *If:
		parts = []any{s.Test}
	case *While:
		parts = []any{s.Test}
	case *For:
		parts = []any{s.Iter}
	}
	var out []Expr
	for _, p := range parts {
		if p == nil {
			continue
		}
		Each(p, func(node any) {
			switch x := node.(type) {
			case *Name:
				out = append(out, x)
			case *Attr:
				out = append(out, x)
			}
		})
	}
	return out
}

// longest is how much of a statement a message shows, in characters.
const longest = 120

// Excerpt is the statement that begins on a line of a source, on one line and without its comments.
func Excerpt(src string, line int) string {
	rest := src
	for range line - 1 {
		_, after, more := strings.Cut(rest, "\n")
		if !more {
			return ""
		}
		rest = after
	}
	l := &lexer{src: strings.TrimLeft(rest, " \t")}
	end := l.logical()
	out := strings.Join(strings.Fields(end), " ")
	if r := []rune(out); len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return out
}

// logical reads to the end of a logical line, and returns it without comments. Where it cannot be read that far, it is the first line.
func (l *lexer) logical() (out string) {
	first, _, _ := strings.Cut(l.src, "\n")
	defer func() {
		if f := recover(); f != nil {
			if _, ours := f.(fail); !ours {
				panic(f)
			}
			out = first
		}
	}()
	var b strings.Builder
	l.line, l.indents = 1, []int{0}
	for l.at < len(l.src) {
		start, comment := l.at, l.src[l.at] == '#'
		if c := l.src[l.at]; (c == '\n' || c == '\r') && l.open == 0 {
			break
		}
		l.next()
		if !comment {
			b.WriteString(l.src[start:l.at])
		}
		if b.Len() > 4*longest {
			break
		}
	}
	return b.String()
}
