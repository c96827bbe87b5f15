package patch

import (
	"fmt"
	"slices"
	"strings"
)

// The lines of a block. The second is not a bare row of equals signs: those underline headings in docstrings and Markdown.
//
//	<<<<<<< SEARCH models/net.py
//	text of the file
//	======= REPLACE
//	text in its place
//	>>>>>>> END
const (
	searchMark  = "<<<<<<< SEARCH"
	replaceMark = "======= REPLACE"
	endMark     = ">>>>>>> END"
)

// Causes of a refused answer.
const (
	CauseNoBlock = "no-block"         // prose alone
	CauseHalf    = "half-block"       // a line of it is missing
	CausePath    = "path-never-sent"  //
	CauseEmpty   = "empty-search"     //
	CauseAbsent  = "text-in-no-file"  // the quoted text is not in that file
	CauseMany    = "text-not-unique"  // it occurs more than once
	CauseSame    = "changes-nothing"  // the text is replaced by itself
	CauseTwice   = "same-block-twice" //
	CauseOverlap = "same-lines"       // two blocks change one line
	CauseTooMany = "too-many-edits"   // more than the caller takes

	noPath          = "no path"
	noBlock         = 0
	quotedBytesMost = 60
)

// BlockError is an answer whose blocks cannot be used. It names the first block that is wrong, counted from 1.
type BlockError struct {
	Block int    // 0 where the answer has none
	Path  string // as the block names it
	Cause string // one of the causes above
	text  string
}

func (e *BlockError) Error() string {
	if e.Block == noBlock {
		return e.text
	}
	return fmt.Sprintf("block %d (%s): %s", e.Block, e.Path, e.text)
}

// Block is one search-and-replace block of an answer.
type Block struct {
	Number          int // from 1
	Path            string
	Search, Replace string // without the newline before the next mark
}

// fail is the error of this block.
func (b *Block) fail(cause, format string, args ...any) error {
	path := clip(b.Path)
	if path == "" {
		path = noPath
	}
	return &BlockError{Block: b.Number, Path: path, Cause: cause, text: fmt.Sprintf(format, args...)}
}

// Parse reads the blocks of an answer, and the prose around them. An answer without a block is an error: it was asked for
// changes.
func Parse(answer string) (blocks []Block, prose string, err error) {
	var open *Block
	var search, replace, around []string
	replacing := false
	for line := range strings.SplitSeq(answer, "\n") {
		mark := strings.TrimRight(line, " \t\r")
		switch path, begins := cutMark(mark); {
		case begins && open != nil:
			return nil, "", open.fail(CauseHalf, "another block begins before it ends with %q", endMark)
		case begins:
			open, search, replace, replacing = &Block{Number: len(blocks) + 1, Path: path}, nil, nil, false
		case open == nil && (mark == replaceMark || mark == endMark):
			b := Block{Number: len(blocks) + 1}
			return nil, "", b.fail(CauseHalf, "it has %q without %q before it", mark, searchMark+" <path>")
		case open == nil:
			around = append(around, line)
		case mark == replaceMark && !replacing:
			replacing = true
		case mark == replaceMark:
			return nil, "", open.fail(CauseHalf, "it has %q twice", replaceMark)
		case mark == endMark && !replacing:
			return nil, "", open.fail(CauseHalf, "it ends without %q", replaceMark)
		case mark == endMark:
			open.Search, open.Replace = section(search), section(replace)
			blocks, open = append(blocks, *open), nil
		case replacing:
			replace = append(replace, line)
		default:
			search = append(search, line)
		}
	}
	if open != nil {
		return nil, "", open.fail(CauseHalf, "the answer ends before %q", endMark)
	}
	prose = strings.TrimSpace(strings.Join(around, "\n"))
	if len(blocks) == 0 {
		return nil, prose, &BlockError{Cause: CauseNoBlock, text: "the answer has no block, only prose"}
	}
	return blocks, prose, nil
}

// section joins the lines of a section. The line ending before the next mark is none of it.
func section(lines []string) string { return strings.TrimSuffix(strings.Join(lines, "\n"), "\r") }

// cutMark returns the path of the line that a block begins with.
func cutMark(line string) (path string, ok bool) {
	rest, ok := strings.CutPrefix(line, searchMark)
	if !ok || rest != "" && rest[0] != ' ' {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// Locate turns blocks into edits of the files that were sent. Each must name one of them and quote text that occurs exactly
// once in it, whitespace included; at most `most` are taken, and no two may change the same line. Only line endings are
// forgiven: in a file that has one kind, those of a block are that kind.
func Locate(files []File, blocks []Block, most int) ([]Edit, error) {
	var edits []Edit
	var lines []span
	for i := range blocks {
		b := &blocks[i]
		if i >= most {
			return nil, b.fail(CauseTooMany, "the answer has %d edits, and at most %d are taken (maxPatches)", len(blocks), most)
		}
		at := slices.IndexFunc(files, func(f File) bool { return f.Path == b.Path })
		if at < 0 {
			return nil, b.fail(CausePath, "the path was never sent; those sent are %s", names(files))
		}
		e, err := b.find(files, at)
		if err != nil {
			return nil, err
		}
		text := files[at].Text
		s := span{b, lineAt(text, e.Start), lineAt(text, max(e.Start, e.End-1))}
		for _, other := range lines {
			switch {
			case other.block.Path != b.Path || s.first > other.last || s.last < other.first:
			case other.block.Search == b.Search && other.block.Replace == b.Replace:
				return nil, b.fail(CauseTwice, "it is the same as block %d", other.block.Number)
			default:
				return nil, b.fail(CauseOverlap, "it changes line %d, which block %d changes too", max(s.first, other.first), other.block.Number)
			}
		}
		edits, lines = append(edits, e), append(lines, s)
	}
	return edits, nil
}

// span is the lines that a block changes.
type span struct {
	block       *Block
	first, last int
}

// find looks for the quoted text in the file that the block names.
func (b *Block) find(files []File, at int) (Edit, error) {
	f := files[at]
	search, replace := endings(f.Text, b.Search), endings(f.Text, b.Replace)
	if search == "" {
		return Edit{}, b.fail(CauseEmpty, "its search section is empty; it has to quote text that occurs exactly once")
	}
	if search == replace {
		return Edit{}, b.fail(CauseSame, "its text is replaced by itself")
	}
	start := strings.Index(f.Text, search)
	if start < 0 {
		where := "nor in any other file that was sent"
		for _, other := range files {
			if other.Path != f.Path && strings.Contains(other.Text, endings(other.Text, b.Search)) {
				where = "but in " + other.Path
				break
			}
		}
		return Edit{}, b.fail(CauseAbsent, "the quoted text %q is not in %s, %s", clip(search), f.Path, where)
	}
	if again := strings.Index(f.Text[start+1:], search); again >= 0 {
		return Edit{}, b.fail(CauseMany, "the quoted text %q occurs more than once in %s: in lines %d and %d", clip(search), f.Path,
			lineAt(f.Text, start), lineAt(f.Text, start+1+again))
	}
	return Edit{Path: f.Path, Start: start, End: start + len(search), New: replace}, nil
}

// endings gives the text of a block the line endings of a file that has one kind.
func endings(file, text string) string {
	crlf, all := strings.Count(file, "\r\n"), strings.Count(file, "\n")
	switch {
	case all > 0 && crlf == all:
		return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	case !strings.Contains(file, "\r"):
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// clip shortens what is quoted in a message.
func clip(text string) string {
	if len(text) <= quotedBytesMost {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:quotedBytesMost], "") + "…"
}
