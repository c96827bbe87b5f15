package fence

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelverifier/verifier/internal/fence/fencetest"
)

func TestNothingLeadsOutOfAFolder(t *testing.T) {
	outside := fencetest.Lay(t, map[string]string{"secret": "outside", "sub/deep": "outside"})
	root := fencetest.Lay(t, map[string]string{
		"in": "inside", "sub/in": "inside", "link": "-> in", "sub/up": "-> ../in", "out": "-> " + filepath.Join(outside, "secret"), "dir": "-> " + outside,
		"sub/far": "-> ../../" + filepath.Base(outside) + "/secret", "loop": "-> loop", "hop": "-> dir",
	})
	d, err := Below(root, "sub")
	if err != nil {
		t.Fatal(err)
	}
	top, err := Folder(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = d.Close(), top.Close() }()
	for name, dir := range map[string]*Dir{"in": d, "up": d, "link": top} {
		if data, err := ReadFile(dir, name, 99); err != nil || string(data) != "inside" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	for name, dir := range map[string]*Dir{"far": d, "../in": d, "out": top, "dir/secret": top, "dir/sub/deep": top, "hop/secret": top, "loop": top, "/etc/passwd": top} {
		if data, err := ReadFile(dir, name, 99); err == nil {
			t.Errorf("%s: read %q", name, data)
		}
		if info, err := dir.Stat(name); err == nil {
			t.Errorf("%s: described %v", name, info)
		}
	}
	if entries, err := top.ReadDir("dir"); err == nil {
		t.Errorf("a link out is listed: %v", entries)
	}
}

func TestAFolderIsAFileSystem(t *testing.T) {
	d, err := Below(fencetest.Lay(t, map[string]string{"sub/a": "1", "sub/b/c": "2", "sub/d": "-> ../e", "e": "3"}), "sub")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := fstest.TestFS(d, "a", "b/c", "d"); err != nil {
		t.Error(err)
	}
}

func TestSizeIsAskedFirst(t *testing.T) {
	root := fencetest.Lay(t, map[string]string{"small": "1234"})
	large := filepath.Join(root, "large")
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 3<<30); err != nil {
		t.Fatal(err)
	}
	d, err := Folder(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	var tooLarge *TooLarge
	for _, most := range []int64{1 << 20, 3<<30 - 1} {
		if _, err := ReadFile(d, "large", most); !errors.As(err, &tooLarge) || tooLarge.Limit != most {
			t.Errorf("%d: %v", most, err)
		}
		if _, err := Read(large, most); !errors.As(err, &tooLarge) {
			t.Errorf("%d: %v", most, err)
		}
	}
	if allocated := testing.AllocsPerRun(10, func() { _, _ = ReadFile(d, "large", 1<<20) }); allocated > 100 {
		t.Errorf("%v allocations for a file that is refused", allocated)
	}
	if data, err := ReadFile(d, "small", 4); err != nil || string(data) != "1234" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := ReadFile(d, "small", 3); !errors.As(err, &tooLarge) {
		t.Error(err)
	}
	if _, err := Read(root, 9); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
}

func TestAPlainFileIsNoLink(t *testing.T) {
	root := fencetest.Lay(t, map[string]string{"a": "text", "b": "-> a"})
	d, err := Folder(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if data, err := ReadPlain(d, "a", 9); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := ReadPlain(d, "b", 9); !errors.Is(err, ErrLink) {
		t.Error(err)
	}
	if _, err := ReadPlain(d, "c", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestAMountedRootHidesWhatIsBesideIt(t *testing.T) {
	root := fencetest.Lay(t, map[string]string{"pkg/a.py": "a", "other/b.py": "b", "pkg/c.py": "-> ../other/b.py"})
	d, err := Mounted(filepath.Join(root, "pkg"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if data, err := ReadFile(d, "pkg/a.py", 9); err != nil || string(data) != "a" {
		t.Errorf("%q, %v", data, err)
	}
	for _, name := range []string{"other/b.py", "a.py", "pkg/c.py", "pkgs/a.py", "."} {
		if _, err := d.Open(name); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	if info, err := d.Stat("pkg"); err != nil || !info.IsDir() {
		t.Error(err)
	}
}

func TestTheRootIsTheRepositoryOrTheFolder(t *testing.T) {
	top := fencetest.Lay(t, map[string]string{
		"repo/.git/HEAD": "x", "repo/src/net.py": "x", "tree/.git": "gitdir: x", "tree/net.py": "x", "alone/net.py": "x",
		"hub/models--org--name/snapshots/1/config.json": "{}", "hub/models--org--name/blobs/1": "{}", "models--x/config.json": "{}",
	})
	for name, want := range map[string]string{
		"repo/src/net.py": "repo", "repo/src": "repo", "repo": "repo", "repo/src/none": "repo", "tree/net.py": "tree", "alone/net.py": "alone", "alone": "alone",
		"hub/models--org--name/snapshots/1/config.json": "hub/models--org--name", "models--x/config.json": "models--x",
	} {
		got, err := Root(filepath.Join(top, filepath.FromSlash(name)))
		if rel, ok := Within(top, got); err != nil || !ok || rel != want {
			t.Errorf("%s: %s, %v; want %s", name, rel, err, want)
		}
	}
	if rel, ok := Within(top, filepath.Dir(top)); ok {
		t.Errorf("%s is within", rel)
	}
}
