package patch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/patch"
)

func TestApply(t *testing.T) {
	files := []patch.File{{Path: "a.py", Text: "one\ntwo\nthree\n"}, {Path: "b.py", Text: ""}}
	for name, c := range map[string]struct {
		edits []patch.Edit
		want  string // of a.py, or the error
		err   bool
	}{
		"none":             {nil, "one\ntwo\nthree\n", false},
		"replace":          {[]patch.Edit{{"a.py", 4, 7, "2"}}, "one\n2\nthree\n", false},
		"two in any order": {[]patch.Edit{{"a.py", 8, 13, "3"}, {"a.py", 0, 3, "1"}}, "1\ntwo\n3\n", false},
		"touching":         {[]patch.Edit{{"a.py", 0, 3, "1"}, {"a.py", 3, 4, ";"}}, "1;two\nthree\n", false},
		"insert before":    {[]patch.Edit{{"a.py", 4, 4, "1.5\n"}, {"a.py", 4, 7, "2"}}, "one\n1.5\n2\nthree\n", false},
		"insert at end":    {[]patch.Edit{{"a.py", 14, 14, "four\n"}}, "one\ntwo\nthree\nfour\n", false},
		"delete all":       {[]patch.Edit{{"a.py", 0, 14, ""}}, "", false},
		"overlap":          {[]patch.Edit{{"a.py", 0, 5, "1"}, {"a.py", 4, 7, "2"}}, "a.py: two edits change the same place in line 2", true},
		"same insertion":   {[]patch.Edit{{"a.py", 4, 4, "x"}, {"a.py", 4, 4, "y"}}, "a.py: two edits change the same place in line 2", true},
		"outside":          {[]patch.Edit{{"a.py", 4, 15, "x"}}, "a.py: bytes 4 to 15 are outside of the file, which has 14", true},
		"before":           {[]patch.Edit{{"a.py", -1, 3, "x"}}, "a.py: bytes -1 to 3 are outside of the file, which has 14", true},
		"backwards":        {[]patch.Edit{{"a.py", 3, 1, "x"}}, "a.py: bytes 3 to 1 are outside of the file, which has 14", true},
		"never sent":       {[]patch.Edit{{"c.py", 0, 0, "x"}}, "c.py: the path was never sent; those sent are a.py, b.py", true},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := patch.Apply(files, c.edits)
			var got string
			if err != nil {
				got = err.Error()
			} else {
				got = out[0].Text
			}
			if got != c.want || (err != nil) != c.err {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
	if files[0].Text != "one\ntwo\nthree\n" {
		t.Error("the files that were sent are changed")
	}
}

// texts are pairs whose diffs are hard to get right.
var texts = map[string][2]string{
	"a line":                     {"a\nb\nc\n", "a\nB\nc\n"},
	"no newline at the end":      {"a\nb", "a\nB"},
	"a newline is added":         {"a\nb", "a\nb\n"},
	"a newline is taken away":    {"a\nb\n", "a\nb"},
	"from empty":                 {"", "a\nb\n"},
	"from empty, no newline":     {"", "a"},
	"to empty":                   {"a\nb\n", ""},
	"CRLF":                       {"a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"},
	"CRLF at the end left out":   {"a\r\nb", "a\r\nB"},
	"from CRLF to LF":            {"a\r\nb\r\n", "a\nb\n"},
	"tabs":                       {"\ta\n\t\tb\n", "\ta\n        b\n"},
	"lone carriage returns":      {"a\rb\rc\n", "a\rB\rc\n"},
	"form feed":                  {"a\n\fb\n", "a\n\fB\n"},
	"not UTF-8":                  {"# caf\xe9\nx = 1\n\xff\xfe\n", "# caf\xe9\nx = 2\n\xff\xfe\n"},
	"a line separator":           {"a\u2028b\nc\n", "a\u2028b\nC\n"},
	"lines like the head":        {"-- a\n++ b\n@@ -1 +1 @@\n", "-- A\n++ B\n@@ -2 +2 @@\n"},
	"a line like the note":       {"\\ No newline at end of file\nb\n", "\\ No newline at end of file\nB"},
	"two hunks":                  {strings.Repeat("x\n", 30), "y\n" + strings.Repeat("x\n", 28) + "y\n"},
	"the same lines all over":    {strings.Repeat("x\n", 30), strings.Repeat("x\n", 31)},
	"blank lines":                {"\n\n\n", "\n\n"},
	"zero bytes":                 {"a\x00b\nc\n", "a\x00b\nC\n"},
	"a diff in a string":         {"s = '''\n--- a\n+++ b\n'''\n", "s = '''\n--- c\n+++ d\n'''\n"},
	"the last of many, no final": {strings.Repeat("l\n", 10) + "end", strings.Repeat("l\n", 10) + "END"},
}

func TestADiffAppliesWithPatchAndGit(t *testing.T) {
	for name, c := range texts {
		for _, path := range []string{"net.py", "src/my models/net v2.py", "naïve/ネット.py"} {
			t.Run(name+"/"+path, func(t *testing.T) {
				before := patch.File{Path: path, Text: c[0]}
				diff, err := patch.Diff(before, patch.File{Path: path, Text: c[1]})
				if err != nil {
					t.Fatal(err)
				}
				for _, tool := range [][]string{{"patch", "-p0", "--binary", "-s"}, {"git", "apply", "-p0", "--whitespace=nowarn"}} {
					if got, out := applied(t, tool, before, diff); got != c[1] {
						t.Errorf("%s: %q, want %q\n%s\n%s", tool[0], got, c[1], out, diff)
					}
				}
			})
		}
	}
}

// applied returns the text that a program makes of a file with a diff.
func applied(t *testing.T, tool []string, before patch.File, diff string) (string, string) {
	t.Helper()
	if _, err := exec.LookPath(tool[0]); err != nil {
		t.Skip(tool[0] + " is not installed")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(before.Path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(before.Text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool[0], tool[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return err.Error(), string(out)
	}
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return "", string(out) // patch removes a file that becomes empty
	}
	return string(text), string(out)
}

func TestNoDiffOfWhatIsTheSame(t *testing.T) {
	f := patch.File{Path: "a.py", Text: "x\n"}
	if diff, err := patch.Diff(f, f); diff != "" || err != nil {
		t.Errorf("%q, %v", diff, err)
	}
}

func TestTheValidatorRefusesAWrongDiff(t *testing.T) {
	before := patch.File{Path: "a.py", Text: "a\nb\nc\n"}
	const good = "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
	if err := patch.Check(good, before, "a\nB\nc\n"); err != nil {
		t.Fatal(err)
	}
	for name, diff := range map[string]string{
		"another context": strings.Replace(good, "\n a", "\n z", 1),
		"two paths":       strings.Replace(good, "--- a", "--- z", 1),
		"another result":  strings.Replace(good, "+B", "+X", 1),
		"another path":    strings.ReplaceAll(good, "a.py", "b.py"),
		"two files":       good + strings.ReplaceAll(good, "a.py", "b.py"),
		"prefixes":        strings.Replace(strings.Replace(good, "--- a.py", "--- a/a.py", 1), "+++ a.py", "+++ b/a.py", 1),
		"a wrong count":   strings.Replace(good, "-1,3", "-1,9", 1),
		"nothing":         "",
		"prose":           "I changed line 2.",
	} {
		if err := patch.Check(diff, before, "a\nB\nc\n"); err == nil || !strings.HasPrefix(err.Error(), "diff of a.py does not apply again: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPaths(t *testing.T) {
	for _, good := range []string{"a.py", "a/b/c.py", ".verifier.yml", "a b.py", "..a/b", "ネット.py", "a\"b.py"} {
		if err := patch.CheckPath(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", ".", "..", "/etc/passwd", "../a.py", "a/../../b", "a/../b", "./a", "a//b", "a/", `a\b.py`, `C:/a.py`, "a\nb", "a\tb", "\x00", "\xff", `"a".py`, " a", "a "} {
		if patch.CheckPath(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzDiff(f *testing.F) {
	for _, c := range texts {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if diff, err := patch.Diff(patch.File{Path: "a.py", Text: before}, patch.File{Path: "a.py", Text: after}); err != nil || (diff == "") != (before == after) {
			t.Errorf("%q, %v", diff, err)
		}
	})
}

func TestADiffOfSomebodyElseIsAppliedToItsFileAlone(t *testing.T) {
	for name, c := range texts {
		before := patch.File{Path: "a b/net.py", Text: c[0]}
		diff, err := patch.Diff(before, patch.File{Path: before.Path, Text: c[1]})
		if err != nil {
			t.Fatal(err)
		}
		after, err := patch.Patched(before, diff)
		if err != nil || after.Text != c[1] {
			t.Errorf("%s: %q %v", name, after.Text, err)
		}
		if got, err := patch.Apply([]patch.File{before}, []patch.Edit{patch.Between(before, after)}); err != nil || got[0].Text != c[1] {
			t.Errorf("%s: %q %v", name, got, err)
		}
		for _, other := range []patch.File{{Path: "b/net.py", Text: c[0]}, {Path: before.Path, Text: "something else\n"}} {
			if _, err := patch.Patched(other, diff); err == nil {
				t.Errorf("%s: taken for %q", name, other)
			}
		}
	}
	if _, err := patch.Patched(patch.File{Path: "a.py"}, "prose"); err == nil {
		t.Error("prose is a diff")
	}
}
