// Package yamltext cuts YAML into tokens and refuses what lexer and parser need time or memory for that grow with the square of it:
// nesting, but also long runs of some letters, and many keys of one mapping. It knows nothing of what the text says.
package yamltext

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Limits of a text. No file that a person or a tool writes comes near any of these.
const (
	maxTokens    = 60_000    // the parser moves all that follow for each value that is left out
	maxMarks     = 200_000   // of which the lexer makes tokens, before they are counted
	maxKeys      = 5_000     // of one mapping: the parser copies those that follow for each
	maxDocuments = 1_000     // the parser copies those that follow for each
	maxPaths     = 32 << 20  // bytes of the keys that lead to a word or mark, those of all together: the parser keeps them with each
	maxAngles    = 256       // < in a row: the lexer counts those that follow for each
	maxBlank     = 32 << 20  // blank lines in a row times bytes: the lexer copies a block scalar for each that stands at its end
	maxTabs      = 256 << 20 // tabs times the bytes of their lines: in quotes, the lexer reads the rest of the line for each
)

// Refusal says why a text is not parsed, and on which line that shows.
type Refusal struct {
	Line    int
	TooDeep bool // it nests deeper than the limit of the caller; else the reason says what is too large
	Reason  string
}

// Read returns the tokens of a text, unless brackets, or dashes and anchors of one line, nest deeper than a limit, or something else is
// too large to be parsed.
func Read(text string, limit int) (token.Tokens, *Refusal) {
	if r := unread(text); r != nil {
		return nil, r
	}
	tokens := lexer.Tokenize(text)
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
			return nil, &Refusal{Line: line, TooDeep: true, Reason: fmt.Sprintf("nests deeper than %d levels", limit)}
		}
	}
	return tokens, unparsed(tokens)
}

// Tokens is Read for callers that need not say why: the line is that of the refusal, 0 where there is none.
func Tokens(text string, limit int) (tokens token.Tokens, refused int) {
	tokens, r := Read(text, limit)
	if r == nil {
		return tokens, 0
	}
	return nil, max(1, r.Line)
}

// unread finds what the lexer would read again and again. A carriage return ends a line too.
func unread(text string) *Refusal {
	blank, tabs, marks, line := 0, 0, 0, 0
	angles := strings.Repeat("<", maxAngles+1)
	mostBlank := maxBlank / max(1, len(text))
	for s := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n") {
		line++
		marks++
		for i := range len(s) {
			if strings.IndexByte("[]{},:-?!&*|>@`%#'\"<", s[i]) >= 0 {
				marks++
			}
		}
		if blank++; strings.Trim(s, " ") != "" {
			blank = 0
		}
		inLine := strings.Count(s, "\t")
		tabs += inLine * len(s)
		var reason string
		switch {
		case blank > mostBlank:
			reason = fmt.Sprintf("has more than %d blank lines in a row, in a text of %d bytes", mostBlank, len(text))
		case tabs > maxTabs:
			reason = fmt.Sprintf("has %d tabs on a line of %d bytes, too many to be read", inLine, len(s))
		case strings.Contains(s, angles):
			reason = fmt.Sprintf("has more than %d times < in a row", maxAngles)
		case marks > maxMarks:
			reason = fmt.Sprintf("has more than %d lines, brackets, quotes and other marks", maxMarks)
		default:
			continue
		}
		return &Refusal{Line: line, Reason: reason}
	}
	return nil
}
