package patch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/patch"
)

var sent = []patch.File{
	{Path: "net.py", Text: "import torch\n\na = 1\nb = 2\nc = 1\n\td = 3  \n"},
	{Path: "win.py", Text: "x = 1\r\ny = 2\r\nz = 3"},
	{Path: "mixed.py", Text: "x = 1\r\ny = 2\nz = 3\n"},
	{Path: "empty.py", Text: ""},
	{Path: "doc.py", Text: "\"\"\"Net\n=======\n\"\"\"\nk = 1\n"},
}

func block(path, search, replace string) string {
	if search != "" {
		search += "\n"
	}
	if replace != "" {
		replace += "\n"
	}
	return "<<<<<<< SEARCH " + path + "\n" + search + "======= REPLACE\n" + replace + ">>>>>>> END\n"
}

// read is what becomes of an answer: the file that it changed, or the error.
func read(answer string, most int) (string, error) {
	blocks, _, err := patch.Parse(answer)
	if err != nil {
		return "", err
	}
	edits, err := patch.Locate(sent, blocks, most)
	if err != nil {
		return "", err
	}
	after, err := patch.Apply(sent, edits)
	if err != nil {
		return "", fmt.Errorf("legal blocks were refused: %w", err)
	}
	for i := range after {
		if after[i].Text != sent[i].Text {
			return after[i].Text, nil
		}
	}
	return "", errors.New("nothing changed")
}

func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"a line":               {"Sure.\n\n" + block("net.py", "b = 2", "b = 3") + "\nDone.", "import torch\n\na = 1\nb = 3\nc = 1\n\td = 3  \n"},
		"two blocks":           {block("net.py", "a = 1", "a = 2") + block("net.py", "c = 1", "c = 2"), "import torch\n\na = 2\nb = 2\nc = 2\n\td = 3  \n"},
		"part of a line":       {block("net.py", "torch", "torch as th"), "import torch as th\n\na = 1\nb = 2\nc = 1\n\td = 3  \n"},
		"several lines":        {block("net.py", "a = 1\nb = 2", "a = 9"), "import torch\n\na = 9\nc = 1\n\td = 3  \n"},
		"nothing in its place": {block("net.py", "b = 2", ""), "import torch\n\na = 1\n\nc = 1\n\td = 3  \n"},
		"a whole line goes":    {block("net.py", "b = 2\n", ""), "import torch\n\na = 1\nc = 1\n\td = 3  \n"},
		"tabs and spaces":      {block("net.py", "\td = 3  ", "\td = 4"), "import torch\n\na = 1\nb = 2\nc = 1\n\td = 4\n"},
		"CRLF of the file":     {block("win.py", "x = 1\ny = 2", "x = 5\ny = 6"), "x = 5\r\ny = 6\r\nz = 3"},
		"CRLF of the answer":   {strings.ReplaceAll(block("net.py", "a = 1\nb = 2", "a = 5\nb = 2"), "\n", "\r\n"), "import torch\n\na = 5\nb = 2\nc = 1\n\td = 3  \n"},
		"no newline at end":    {block("win.py", "z = 3", "z = 4"), "x = 1\r\ny = 2\r\nz = 4"},
		"mixed, as written":    {block("mixed.py", "y = 2\nz = 3", "y = 3"), "x = 1\r\ny = 3\n"},
		"a row of =":           {block("doc.py", "Net\n=======", "My net\n======="), "\"\"\"My net\n=======\n\"\"\"\nk = 1\n"},
		"a fence around it":    {"```\n" + block("net.py", "b = 2", "b = 3") + "```\n", "import torch\n\na = 1\nb = 3\nc = 1\n\td = 3  \n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := read(c.answer, 8); got != c.want || err != nil {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestRefusedBlocksNameTheBlockAndTheCause(t *testing.T) {
	ok := block("net.py", "b = 2", "b = 3")
	for name, c := range map[string]struct{ answer, cause, says string }{
		"in no file":            {ok + block("net.py", "q = 1", "q = 2"), patch.CauseAbsent, `block 2 (net.py): the quoted text "q = 1" is not in net.py, nor in any other file that was sent`},
		"in another file":       {block("net.py", "k = 1", "k = 2"), patch.CauseAbsent, `block 1 (net.py): the quoted text "k = 1" is not in net.py, but in doc.py`},
		"whitespace counts":     {block("net.py", "    d = 3", "d = 4"), patch.CauseAbsent, `block 1 (net.py): the quoted text "    d = 3" is not in net.py, nor in any other file that was sent`},
		"more than once":        {block("net.py", " = 1", " = 2"), patch.CauseMany, `block 1 (net.py): the quoted text " = 1" occurs more than once in net.py: in lines 3 and 5`},
		"a path never sent":     {block("other.py", "b = 2", "b = 3"), patch.CausePath, `block 1 (other.py): the path was never sent; those sent are net.py, win.py, mixed.py, empty.py, doc.py`},
		"a path outside":        {block("../../etc/passwd", "root", "me"), patch.CausePath, `block 1 (../../etc/passwd): the path was never sent; those sent are net.py, win.py, mixed.py, empty.py, doc.py`},
		"no path":               {block("", "b = 2", "b = 3"), patch.CausePath, `block 1 (no path): the path was never sent; those sent are net.py, win.py, mixed.py, empty.py, doc.py`},
		"an empty search":       {block("net.py", "", "b = 3"), patch.CauseEmpty, `block 1 (net.py): its search section is empty; it has to quote text that occurs exactly once`},
		"an empty file":         {block("empty.py", "", "b = 3"), patch.CauseEmpty, `block 1 (empty.py): its search section is empty; it has to quote text that occurs exactly once`},
		"too many":              {ok + block("net.py", "a = 1", "a = 2") + block("net.py", "c = 1", "c = 2"), patch.CauseTooMany, `block 3 (net.py): the answer has 3 edits, and at most 2 are taken (maxPatches)`},
		"the same lines":        {block("net.py", "a = 1\nb = 2", "a = 2") + ok, patch.CauseOverlap, `block 2 (net.py): it changes line 4, which block 1 changes too`},
		"two parts of one line": {block("net.py", "b =", "e =") + block("net.py", "= 2", "= 5"), patch.CauseOverlap, `block 2 (net.py): it changes line 4, which block 1 changes too`},
		"the same block":        {ok + ok, patch.CauseTwice, `block 2 (net.py): it is the same as block 1`},
		"by itself":             {block("net.py", "b = 2", "b = 2"), patch.CauseSame, `block 1 (net.py): its text is replaced by itself`},
		"prose":                 {"I would widen the layer.", patch.CauseNoBlock, "the answer has no block, only prose"},
		"nothing":               {"", patch.CauseNoBlock, "the answer has no block, only prose"},
		"cut in the search":     {"<<<<<<< SEARCH net.py\nb = 2\n", patch.CauseHalf, `block 1 (net.py): the answer ends before ">>>>>>> END"`},
		"cut in the replace":    {ok + "<<<<<<< SEARCH net.py\na = 1\n======= REPLACE\na", patch.CauseHalf, `block 2 (net.py): the answer ends before ">>>>>>> END"`},
		"no divider":            {"<<<<<<< SEARCH net.py\nb = 2\n>>>>>>> END\n", patch.CauseHalf, `block 1 (net.py): it ends without "======= REPLACE"`},
		"two dividers":          {"<<<<<<< SEARCH net.py\nb = 2\n======= REPLACE\n======= REPLACE\n>>>>>>> END\n", patch.CauseHalf, `block 1 (net.py): it has "======= REPLACE" twice`},
		"begins again":          {"<<<<<<< SEARCH net.py\nb = 2\n" + ok, patch.CauseHalf, `block 1 (net.py): another block begins before it ends with ">>>>>>> END"`},
		"the end alone":         {ok + ">>>>>>> END\n", patch.CauseHalf, `block 2 (no path): it has ">>>>>>> END" without "<<<<<<< SEARCH <path>" before it`},
	} {
		t.Run(name, func(t *testing.T) {
			most := 8
			if c.cause == patch.CauseTooMany {
				most = 2
			}
			_, err := read(c.answer, most)
			e := (*patch.BlockError)(nil)
			if !errors.As(err, &e) || e.Cause != c.cause || e.Error() != c.says {
				t.Errorf("got %v, want %s: %s", err, c.cause, c.says)
			}
		})
	}
}

func TestTheProseAroundBlocksIsKept(t *testing.T) {
	_, prose, err := patch.Parse("First I thought.\n" + block("net.py", "b = 2", "b = 3") + "That is all.\n")
	if want := "First I thought.\nThat is all."; prose != want || err != nil {
		t.Errorf("%q, %v", prose, err)
	}
}

// FuzzBlocks has any answer end in a diff that applies, or in an error that names the cause; no answer reaches a file that
// was not sent.
func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{"", "prose", block("net.py", "b = 2", "b = 3"), block("win.py", "x = 1\ny", "q\r\n"), block("net.py", "\xff", "\x00"), "<<<<<<< SEARCH"} {
		f.Add(seed, "a = 1\nb = 2\n")
		f.Add(seed, "x = 1\r\ny = 2\r\n\xff")
	}
	f.Fuzz(func(t *testing.T, answer, text string) {
		files := []patch.File{{Path: "net.py", Text: text}, {Path: "win.py", Text: "x = 1\r\ny = 2\r\n"}}
		blocks, _, err := patch.Parse(answer)
		var edits []patch.Edit
		if err == nil {
			edits, err = patch.Locate(files, blocks, 4)
		}
		if e := (*patch.BlockError)(nil); err != nil && (!errors.As(err, &e) || e.Cause == "") {
			t.Fatalf("no cause: %v", err)
		}
		after, err := patch.Apply(files, edits)
		if err != nil {
			t.Fatalf("legal blocks do not apply: %v", err)
		}
		for i := range files {
			if _, err := patch.Diff(files[i], after[i]); err != nil {
				t.Fatal(err)
			}
		}
	})
}
