// Package yamltext cuts YAML into tokens and refuses what nests too deeply before a parser meets it: the parser needs time and memory
// that grow with the square of the nesting. It knows nothing of what the text says.
package yamltext

import (
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Tokens returns the tokens of a text, and the line on which brackets, or dashes and anchors of one line, first nest deeper than a
// limit: 0 where they do not.
func Tokens(text string, limit int) (tokens token.Tokens, tooDeep int) {
	tokens = lexer.Tokenize(text)
	flow, dashes, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			dashes, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			dashes++
		default:
		}
		if flow > limit || dashes > limit {
			return tokens, line
		}
	}
	return tokens, 0
}
