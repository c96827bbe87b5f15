package quantity

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// plurals are the nouns that messages count, with what one of them is called.
var plurals = func() map[string]string {
	out := map[string]string{"axes": "axis", "entries": "entry", "classes": "class", "biases": "bias", "batches": "batch", "patches": "patch", "boxes": "box", "caches": "cache"}
	for _, noun := range strings.Fields(`band blocker byte candidate card channel column component connection dimension element epoch expert feature finding GPU graph group head image
		input key label layer level model module number other output parameter piece position question rank replica result row rule sample size stage step tensor token value
		violation warning weight word`) {
		out[noun+"s"] = noun
	}
	return out
}()

// smallWords stand behind a number and belong to no noun.
var smallWords = map[string]bool{"": true, "of": true, "is": true, "are": true, "and": true, "or": true, "in": true, "to": true, "for": true, "but": true, "at": true, "times": true, "by": true}

// verbs are those that a count goes with.
var verbs = map[string]string{"are": "is", "were": "was", "have": "has", "do": "does", "arrive": "arrives", "take": "takes", "keep": "keeps", "follow": "follows", "lie": "lies", "need": "needs", "add": "adds"}

// Sprintf is fmt.Sprintf, with nouns and verbs in the singular where a number of one stands before them: "%d channels arrive" of 1 is
// "1 channel arrives". Only words of the format change, so that no name of a caller's does. Names, values and shapes that are too long
// to be quoted are shortened.
func Sprintf(format string, args ...any) string {
	return fmt.Sprintf(Agree(format, args...), brief(args)...)
}

// brief shortens what has too much text. The list of the caller is not changed.
func brief(args []any) []any {
	copied := false
	for i, a := range args {
		short, long := shortened(a)
		if !long {
			continue
		}
		if !copied {
			args, copied = slices.Clone(args), true
		}
		args[i] = short
	}
	return args
}

// shortened returns the text of an argument that is too long to be quoted. Of a list, such as a shape, the items are looked at only
// where there are so many that they may be.
func shortened(arg any) (text string, long bool) {
	switch a := arg.(type) {
	case int, int64, bool, float64:
		return "", false
	case string:
		return graph.Brief(a), len(a) > longText
	case json.Number:
		return graph.Brief(string(a)), len(a) > graph.MostQuoted
	case graph.Value:
		return a.Brief(), true
	}
	if v := reflect.ValueOf(arg); v.Kind() != reflect.Slice || v.Len() < shortList {
		return "", false
	}
	text = fmt.Sprint(arg)
	return graph.Brief(text), len(text) > graph.MostQuoted
}

// longText is more than any sentence or list of ours has: names are cut by Label before, and what is longer is a caller's.
const longText = 2000

// Own is text of ours, which is not shortened however long it is: a list of what is allowed.
type Own string

// shortList is how many integers can be written in what a message quotes.
const shortList = graph.MostQuoted / 21

// Agree returns the format that Sprintf fills.
func Agree(format string, args ...any) string {
	if !hasOne(args) {
		return format
	}
	var b strings.Builder
	rest, arg := format, 0
	for {
		i := strings.IndexByte(rest, '%')
		if i < 0 || i+1 == len(rest) {
			return b.String() + rest
		}
		end := i + 1
		for end < len(rest)-1 && strings.IndexByte("+-# 0123456789.", rest[end]) >= 0 {
			end++
		}
		head, tail := rest[:end+1], rest[end+1:]
		if rest[end] != '%' {
			if arg < len(args) && isOne(args[arg]) {
				head, tail = singular(head, tail)
			}
			arg++
		}
		b.WriteString(head)
		rest = tail
	}
}

// singular changes the noun behind a number, the verb behind that, and "there are" before it.
func singular(head, tail string) (string, string) {
	words, ok := strings.CutPrefix(tail, " ")
	if !ok {
		return head, tail
	}
	noun, rest := word(words)
	kind := ""
	if _, counted := plurals[noun]; !counted && strings.HasPrefix(rest, " ") && !smallWords[noun] { // mel bands
		kind = noun + " "
		noun, rest = word(rest[1:])
	}
	one, counted := plurals[noun]
	if !counted {
		return head, tail
	}
	for _, many := range []string{"there are ", "there are only "} {
		if at, ok := strings.CutSuffix(head, many+head[strings.LastIndexByte(head, '%'):]); ok {
			head = at + strings.Replace(many, "are", "is", 1) + head[strings.LastIndexByte(head, '%'):]
		}
	}
	return head, " " + kind + one + agreeing(rest)
}

// agreeing changes the verb of a clause whose subject is one. It stands directly behind the noun, or behind "of" and the words of that;
// a mark or another number ends the clause.
func agreeing(rest string) string {
	limit := len(rest)
	if i := strings.IndexAny(rest, ",;:()"); i >= 0 {
		limit = i
	}
	behind := strings.HasPrefix(rest, " of ")
	for at := 0; at < limit && rest[at] == ' '; {
		w, _ := word(rest[at+1:])
		if one, ok := verbs[w]; ok {
			return rest[:at+1] + one + rest[at+1+len(w):]
		}
		if !behind || w == "" && !strings.HasPrefix(rest[at+1:], "%") {
			return rest
		}
		next := strings.IndexByte(rest[at+1:], ' ')
		if next < 0 {
			return rest
		}
		at += 1 + next
	}
	return rest
}

// word takes the letters off the front of a text.
func word(s string) (w, rest string) {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z') {
		i++
	}
	return s[:i], s[i:]
}

func hasOne(args []any) bool {
	for _, a := range args {
		if isOne(a) {
			return true
		}
	}
	return false
}

func isOne(arg any) bool {
	switch n := arg.(type) {
	case int:
		return n == 1
	case int64:
		return n == 1
	case string:
		return n == "1"
	}
	return false
}
