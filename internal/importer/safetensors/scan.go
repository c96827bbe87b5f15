package safetensors

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
)

// scanner reads the JSON of a header or of an index. The general decoders take three times as long for a hundred thousand tensors, and do
// not say which tensor is wrong. The text is UTF-8; strings without escapes are parts of it.
type scanner struct {
	text string
	at   int
	file string
	ints []int64 // where the next shape goes
}

// maxDepth bounds values that are skipped.
const maxDepth = 32

// entry is a tensor and where its data lies behind the header.
type entry struct {
	importer.Tensor
	begin, end int64
}

func (s *scanner) errorf(expected string) *graph.Error {
	if s.at >= len(s.text) {
		return bad(s.file, "its JSON ends too early: expected %s at byte %d", expected, s.at)
	}
	c, _ := utf8.DecodeRuneInString(s.text[s.at:])
	return bad(s.file, "its JSON is wrong at byte %d: expected %s, found %q", s.at, expected, c)
}

// header reads the whole of a header.
func (s *scanner) header() (entries []entry, metadata []Pair, err error) {
	others := 0 // members that are no tensors
	if s.text == "" || s.text[0] != '{' {
		return nil, nil, s.errorf("{ as the header's first byte")
	}
	// Growing lists to a size that can be counted beforehand takes longer than reading. What a hostile header makes of the count is bounded.
	expected := min(strings.Count(s.text, `"data_offsets"`), 200_000)
	entries = make([]entry, 0, expected)
	seen := make(map[string]struct{}, expected)
	e := s.object(func(name string) *graph.Error {
		if seen[name] = struct{}{}; len(seen) == len(entries)+others {
			return bad(s.file, "its header has %s twice", quoted(name))
		}
		if name == "__metadata__" {
			others++
			var e *graph.Error
			metadata, e = s.pairs(name, maxMetadata)
			return e
		}
		if len(entries) == maxTensors {
			e := bad(s.file, "lists more than %d tensors", maxTensors)
			e.Limit = maxTensors
			return e
		}
		t, e := s.tensor(name)
		entries = append(entries, t)
		return e
	})
	if e == nil {
		e = s.finish()
	}
	if e != nil {
		return nil, nil, e
	}
	return entries, metadata, nil
}

// finish demands that nothing but blanks follows.
func (s *scanner) finish() *graph.Error {
	if s.space(); s.at < len(s.text) {
		return s.errorf("the end")
	}
	return nil
}

// space steps over blanks and returns the byte behind them, or 0 at the end.
func (s *scanner) space() byte {
	for s.at < len(s.text) {
		c := s.text[s.at]
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		s.at++
	}
	return 0
}

// object reads an object; member is called with every name, and reads the value.
func (s *scanner) object(member func(name string) *graph.Error) *graph.Error {
	if s.space() != '{' {
		return s.errorf("{")
	}
	s.at++
	if s.space() == '}' {
		s.at++
		return nil
	}
	for {
		name, e := s.str("a name in quotes")
		if e != nil {
			return e
		}
		if s.space() != ':' {
			return s.errorf(":")
		}
		s.at++
		if e := member(name); e != nil {
			return e
		}
		switch s.space() {
		case ',':
			s.at++
		case '}':
			s.at++
			return nil
		default:
			return s.errorf(", or }")
		}
	}
}

// list reads a list; item reads each value.
func (s *scanner) list(item func() *graph.Error) *graph.Error {
	if s.space() != '[' {
		return s.errorf("[")
	}
	s.at++
	if s.space() == ']' {
		s.at++
		return nil
	}
	for {
		if e := item(); e != nil {
			return e
		}
		switch s.space() {
		case ',':
			s.at++
		case ']':
			s.at++
			return nil
		default:
			return s.errorf(", or ]")
		}
	}
}

// str reads a string.
func (s *scanner) str(expected string) (string, *graph.Error) {
	if s.space() != '"' {
		return "", s.errorf(expected)
	}
	start, escaped := s.at, false
	for i := start + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			if !escaped {
				return s.text[start+1 : i], nil
			}
			return s.unescape(s.text[start : i+1])
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			s.at = i
			return "", s.errorf("a character that may stand in a string")
		}
	}
	s.at = len(s.text)
	return "", s.errorf("the end of a string")
}

// unescape reads a string that has escapes. Half a surrogate pair stands for no character and is refused: a replacement in its place would be
// another name.
func (s *scanner) unescape(raw string) (string, *graph.Error) {
	var out string
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		return "", bad(s.file, "its JSON has a string that cannot be read before byte %d", s.at)
	}
	given := strings.Count(raw, "\uFFFD") + strings.Count(strings.ToLower(raw), `\ufffd`)
	if strings.Count(out, "\uFFFD") > given {
		return "", bad(s.file, "its JSON has a string with half a character before byte %d", s.at)
	}
	return out, nil
}

// integer reads a whole number that is not negative and fits in an int64.
func (s *scanner) integer(expected string) (int64, *graph.Error) {
	s.space()
	start, n := s.at, int64(0)
	for ; s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9'; s.at++ {
		d := int64(s.text[s.at] - '0')
		if n > (1<<63-1-d)/10 {
			s.at = start
			return 0, bad(s.file, "its JSON has a number at byte %d that does not fit in 63 bits", start)
		}
		n = n*10 + d
	}
	if s.at == start || s.text[start] == '0' && s.at > start+1 {
		s.at = start
		return 0, s.errorf(expected)
	}
	if s.at < len(s.text) && (s.text[s.at] == '.' || s.text[s.at]|0x20 == 'e') {
		return 0, s.errorf(expected)
	}
	return n, nil
}

// pairs reads an object of at most so many strings, or null.
func (s *scanner) pairs(of string, most int) (out []Pair, e *graph.Error) {
	if s.space() == 'n' {
		return nil, s.word("null")
	}
	seen := map[string]struct{}{}
	e = s.object(func(name string) *graph.Error {
		if _, twice := seen[name]; twice {
			return bad(s.file, "%s has %s twice", of, quoted(name))
		}
		seen[name] = struct{}{}
		if len(out) == most {
			e := bad(s.file, "%s has more than %d entries", of, most)
			e.Limit = int64(most)
			return e
		}
		value, e := s.str("a text, since " + of + " holds nothing else")
		out = append(out, Pair{name, value})
		return e
	})
	return out, e
}

func (s *scanner) word(w string) *graph.Error {
	if !strings.HasPrefix(s.text[s.at:], w) {
		return s.errorf(w)
	}
	s.at += len(w)
	return nil
}

// skip steps over any value.
func (s *scanner) skip(depth int) *graph.Error {
	if depth > maxDepth {
		return bad(s.file, "its JSON is nested more than %d deep at byte %d", maxDepth, s.at)
	}
	switch c := s.space(); c {
	case '{':
		return s.object(func(string) *graph.Error { return s.skip(depth + 1) })
	case '[':
		return s.list(func() *graph.Error { return s.skip(depth + 1) })
	case '"':
		_, e := s.str("a string")
		return e
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

// number steps over any number.
func (s *scanner) number() *graph.Error {
	end := s.at
	for end < len(s.text) && strings.IndexByte("+-.0123456789eE", s.text[end]) >= 0 {
		end++
	}
	if !json.Valid([]byte(s.text[s.at:end])) {
		return s.errorf("a value")
	}
	s.at = end
	return nil
}
