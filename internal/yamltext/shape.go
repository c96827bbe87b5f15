package yamltext

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

// shape follows which mappings and lists a token stands in, as far as columns and brackets tell.
type shape struct {
	open []level
	path int // bytes of the keys that lead to a token
}

// level is a mapping or a list that has not ended.
type level struct {
	brackets bool
	dash     bool // of a list without brackets
	column   int  // of its keys or dashes; nothing in brackets
	keys     int  // one behind the other; in brackets, since the last comma
	bytes    int  // of its last key
}

// unparsed finds what the parser would copy again and again. It keeps the whole path of keys with every value, so that a long key costs
// as often as there are values below it.
func unparsed(tokens token.Tokens) *Refusal {
	s, count, documents, paths := &shape{}, 0, 0, 0
	before := &token.Token{Position: &token.Position{}}
	for _, t := range tokens {
		if t.Type == token.CommentType {
			continue
		}
		if t.Type == token.DocumentHeaderType || t.Type == token.DocumentEndType {
			documents++
		}
		keys := s.take(t, before)
		count++
		paths += s.path
		before = t
		var reason string
		switch {
		case count > maxTokens:
			reason = fmt.Sprintf("has more than %d words and marks", maxTokens)
		case documents > maxDocuments:
			reason = fmt.Sprintf("has more than %d documents", maxDocuments)
		case keys > maxKeys:
			reason = fmt.Sprintf("has more than %d keys in one mapping", maxKeys)
		case paths > maxPaths:
			reason = fmt.Sprintf("has keys of %d bytes that lead here, too long for all that stands below them", s.path)
		default:
			continue
		}
		return &Refusal{Line: t.Position.Line, Reason: reason}
	}
	return nil
}

// take follows a token, and returns how many keys its mapping has so far where it belongs to a key.
func (s *shape) take(t, before *token.Token) (keys int) {
	switch t.Type {
	case token.DocumentHeaderType, token.DocumentEndType:
		*s = shape{}
	case token.MappingStartType, token.SequenceStartType:
		s.open = append(s.open, level{brackets: true})
	case token.MappingEndType, token.SequenceEndType:
		if s.inBrackets() {
			s.pop()
		}
	case token.CollectEntryType:
		if s.inBrackets() {
			s.top().keys = 0
		}
	case token.SequenceEntryType:
		s.next(t.Position.Column, true, len("[12345]"))
	case token.MappingKeyType:
		return s.next(t.Position.Column, false, 0)
	case token.MappingValueType:
		return s.next(before.Position.Column, false, len(before.Value))
	default:
	}
	return 0
}

// next is a key or a dash in some column, with so many bytes in the path. Dashes may stand in the column of the key that they are below.
func (s *shape) next(column int, dash bool, bytes int) (keys int) {
	for s.inBlock() && (s.top().column > column || s.top().column == column && s.top().dash && !dash) {
		s.pop()
	}
	if !s.inBrackets() && (!s.inBlock() || s.top().column < column || s.top().dash != dash) {
		s.open = append(s.open, level{column: column, dash: dash})
	}
	l := s.top()
	s.path += bytes - l.bytes
	l.bytes = bytes
	l.keys++
	return l.keys
}

func (s *shape) top() *level { return &s.open[len(s.open)-1] }

func (s *shape) inBrackets() bool { return len(s.open) > 0 && s.top().brackets }

func (s *shape) inBlock() bool { return len(s.open) > 0 && !s.top().brackets }

func (s *shape) pop() {
	s.path -= s.top().bytes
	s.open = s.open[:len(s.open)-1]
}
