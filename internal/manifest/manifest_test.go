package manifest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/attest"
	_ "github.com/modelverifier/verifier/internal/seed"
)

// digesting, in the environment of this test's own binary, makes it digest a folder instead of testing.
const digesting = "MANIFEST_DIGEST"

func TestMain(m *testing.M) {
	if dir := os.Getenv(digesting); dir != "" {
		if _, err := of(dir, Options{}); err != nil {
			panic(err)
		}
		fmt.Println(peakKiB())
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// after lists a model, changes something, and returns what hashing says.
func after(t *testing.T, dir string, opt Options, change func()) error {
	t.Helper()
	l, err := List(context.Background(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	change()
	_, err = l.Hash(context.Background())
	return err
}

func TestWhatChangesWhileItIsReadGivesNoManifest(t *testing.T) {
	cases := map[string]func(t *testing.T, dir string){
		"a file is written":  func(t *testing.T, dir string) { write(t, filepath.Join(dir, "b"), "other") },
		"a file grows":       func(t *testing.T, dir string) { write(t, filepath.Join(dir, "b"), "bb") },
		"a file comes":       func(t *testing.T, dir string) { write(t, filepath.Join(dir, "sub/new"), "n") },
		"the last one comes": func(t *testing.T, dir string) { write(t, filepath.Join(dir, "zz"), "n") },
		"a file goes":        func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "b")) },
		"a file is replaced with the same bytes and times": func(t *testing.T, dir string) {
			path := filepath.Join(dir, "b")
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path+".new", "b")
			if err := os.Chtimes(path+".new", info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		},
		"a file becomes a link": func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "b"))
			link(t, "a", filepath.Join(dir, "b"))
		},
		"a file becomes a pipe": func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "b"))
			fifo(t, filepath.Join(dir, "b"))
		},
		"another folder is put in its place": func(t *testing.T, dir string) {
			if err := os.Rename(dir, dir+".old"); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "a"), "a")
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			write(t, filepath.Join(dir, "a"), "a")
			write(t, filepath.Join(dir, "b"), "b")
			write(t, filepath.Join(dir, "sub/c"), "c")
			if err := after(t, dir, Options{}, func() { change(t, dir) }); !errors.Is(err, ErrChanged) {
				t.Errorf("%v, want that it changed", err)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatIsWrittenWhileItIsDigestedGivesNoManifest(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "big")
	write(t, path, strings.Repeat("x", 8*chunkBytes))
	done := false
	_, err := of(dir, Options{Progress: func(p Progress) {
		if !done && p.Bytes > 0 {
			done = true
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = f.WriteAt([]byte("y"), 0) // has been digested already, and the size stays
			_ = f.Close()
		}
	}})
	if !errors.Is(err, ErrChanged) {
		t.Errorf("%v, want that it changed", err)
	}
}

// Some systems show the file itself to the digest, so that what is cut off is a fault there and not an early end.
func TestAFileThatIsCutShortWhileItIsDigestedGivesNoManifest(t *testing.T) {
	const size = 32 * chunkBytes
	text := strings.Repeat("0123456789abcdef", size/16)
	for _, at := range []int64{1, 2 * chunkBytes, size / 2, size - 1} { // bytes digested when it is cut
		for name, cut := range map[string]func(path string) error{
			"to nothing": func(path string) error { return os.Truncate(path, 0) },
			"to a byte":  func(path string) error { return os.Truncate(path, 1) },
			"to half":    func(path string) error { return os.Truncate(path, size/2) },
			"by a byte":  func(path string) error { return os.Truncate(path, size-1) },
			"and is whole again": func(path string) error {
				return errors.Join(os.Truncate(path, 0), os.WriteFile(path, []byte(text), 0o644))
			},
			"and is zeros behind": func(path string) error { return errors.Join(os.Truncate(path, 1), os.Truncate(path, size)) },
		} {
			t.Run(fmt.Sprintf("%s after %d", name, at), func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "big")
				write(t, path, text)
				done := false
				m, err := of(dir, Options{Progress: func(p Progress) {
					if !done && p.Bytes >= at {
						done = true
						if err := cut(path); err != nil {
							t.Error(err)
						}
					}
				}})
				if !done || !errors.Is(err, ErrChanged) {
					t.Errorf("%v %v, want that it changed", m, err)
				}
			})
		}
	}
}

func TestALinkThatIsTurnedElsewhereGivesNoManifest(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "same")
	write(t, filepath.Join(dir, "b"), "same")
	link(t, "a", filepath.Join(dir, "l"))
	err := after(t, dir, Options{AllowSymlinks: true}, func() {
		remove(t, filepath.Join(dir, "l"))
		link(t, "b", filepath.Join(dir, "l"))
	})
	if !errors.Is(err, ErrChanged) {
		t.Errorf("%v, want that it changed", err)
	}
}

func TestLinksOfASnapshotLeadToItsBlobsAndNowhereElse(t *testing.T) {
	for target, want := range map[string]string{
		"../../blobs/aa":                        "",
		"real":                                  "",
		"../../refs/main":                       "leads out of the model and the blobs beside it",
		"../" + strings.Repeat("1", 40) + "/x":  "leads out of the model",
		"../../../other/blobs/aa":               "leads out of the model",
		"../../blobs/out":                       "leads out of the model",
		"/etc/hostname":                         "leads out of the model",
		"../../blobs/none":                      "leads nowhere",
		"../../blobs/../blobs/../../other-file": "leads out of the model",
	} {
		t.Run(strings.ReplaceAll(target, "/", "_"), func(t *testing.T) {
			cache := t.TempDir()
			entry := filepath.Join(cache, "models--o--n")
			snapshot := filepath.Join(entry, "snapshots", strings.Repeat("0", 40))
			for _, f := range []string{"blobs/aa", "refs/main", "snapshots/" + strings.Repeat("1", 40) + "/x", "../other/blobs/aa", "../other-file"} {
				write(t, filepath.Join(entry, f), "x")
			}
			link(t, "../../other-file", filepath.Join(entry, "blobs/out"))
			write(t, filepath.Join(snapshot, "real"), "x")
			link(t, target, filepath.Join(snapshot, "l"))
			m, err := of(snapshot, Options{AllowSymlinks: true})
			t.Chdir(filepath.Dir(snapshot))
			if again, relative := of(filepath.Base(snapshot), Options{AllowSymlinks: true}); (relative == nil) != (err == nil) || err == nil && !slices.Equal(m.Files, again.Files) {
				t.Errorf("by its relative path: %v %v", again, relative)
			}
			switch {
			case want == "" && (err != nil || len(m.Files) != 2):
				t.Errorf("%v %v", m, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

func TestBlobsBesideAFolderThatIsNoSnapshotAreOutside(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "models/blobs/aa"), "x")
	link(t, "../../blobs/aa", filepath.Join(dir, "models/snapshots/0/l"))
	if _, err := of(filepath.Join(dir, "models/snapshots/0"), Options{AllowSymlinks: true}); err == nil || !strings.Contains(err.Error(), "leads out of the model") {
		t.Error(err)
	}
}

func TestASocketIsRefused(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := net.Listen("unix", filepath.Join(dir, "sock"))
	if err != nil {
		t.Skip("this machine opens no sockets")
	}
	defer s.Close()
	if _, err := of(dir, Options{}); err == nil || !strings.Contains(err.Error(), "sock: is a socket") {
		t.Error(err)
	}
	if _, err := of("/dev/null", Options{}); err == nil || !strings.Contains(err.Error(), "is a device") {
		t.Error(err)
	}
}

func TestAFileThatMayNotBeReadIsNamed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "a")
	if err := os.Chmod(filepath.Join(dir, "a"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := of(dir, Options{}); err == nil || !strings.Contains(err.Error(), "a: cannot be read: permission denied") {
		t.Error(err)
	}
}

func TestTheNumberOfFilesIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		write(t, filepath.Join(dir, fmt.Sprint(i%2), fmt.Sprint(i)), "x")
	}
	if _, err := of(dir, Options{MaxFiles: 5}); err == nil || !strings.Contains(err.Error(), "holds more than 5 files") {
		t.Error(err)
	}
	if _, err := of(dir, Options{MaxFiles: 6}); err != nil {
		t.Error(err)
	}
}

func TestIgnoredPathsAreExact(t *testing.T) {
	for _, bad := range []string{"", ".", "/etc", "../x", "a/../b", "a//b", "a/./b", "..", "\xff"} {
		if got, err := Ignored(bad); err == nil {
			t.Errorf("%q gives %q", bad, got)
		}
	}
	got, err := Ignored("b/", "./a", ".//c", "a", ".git")
	if err != nil || !slices.Equal(got, []string{".git", "a", "b", "c"}) {
		t.Errorf("%q %v", got, err)
	}
}

func TestNamesThatSomeFileSystemsTakeForOneAreNoted(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"Config.json", "config.json", "e\u0301", "\u00e9", "other"} {
		write(t, filepath.Join(dir, n), n)
	}
	l, err := List(context.Background(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if len(l.Files()) != 5 {
		t.Skip("this file system takes some of the names for one")
	}
	if len(l.Notes) != 2 || !strings.HasPrefix(l.Notes[0], "Config.json and config.json are one name") {
		t.Errorf("%q", l.Notes)
	}
}

func TestNamesOfModels(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my-model")
	write(t, filepath.Join(dir, "sub/x"), "x")
	t.Chdir(dir)
	for path, want := range map[string]string{"": "my-model", ".": "my-model", "./": "my-model", "./.": "my-model", "..": "", "sub": "sub", "sub/": "sub", "sub/.": "sub", "sub//": "sub", "sub/..": "my-model", dir: "my-model", "sub/x": "x"} {
		if path == ".." {
			want = filepath.Base(filepath.Dir(dir))
		}
		if got, err := nameOf(path); err != nil || got != want {
			t.Errorf("%q is named %q (%v), want %q", path, got, err, want)
		}
	}
	if _, err := nameOf("/"); err == nil {
		t.Error("the root of the file system has a name")
	}
}

func TestWorkersAndProcessorsChangeNothing(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		write(t, filepath.Join(dir, fmt.Sprintf("%d/%d", i%3, i)), strings.Repeat("x", i*i*400))
	}
	var want *Manifest
	for _, workers := range []int{1, 2, 8, 0} {
		before := runtime.GOMAXPROCS(max(workers, 1))
		m, err := of(dir, Options{Workers: workers})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = m
		}
		if !slices.Equal(m.Files, want.Files) {
			t.Errorf("%d workers give other digests", workers)
		}
	}
}

func TestProgressReachesTheEnd(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), strings.Repeat("x", 3*chunkBytes+5))
	write(t, filepath.Join(dir, "b"), "b")
	write(t, filepath.Join(dir, "c"), "")
	var last Progress
	if _, err := of(dir, Options{Progress: func(p Progress) { last = p }}); err != nil {
		t.Fatal(err)
	}
	if all := int64(3*chunkBytes + 6); last != (Progress{3, 3, all, all}) {
		t.Errorf("%+v", last)
	}
}

func TestStopsWhenTold(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), strings.Repeat("x", 64*chunkBytes))
	ctx, stop := context.WithCancel(context.Background())
	l, err := List(ctx, dir, Options{Progress: func(Progress) { stop() }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Hash(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was told to stop", err)
	}
	if _, err := List(ctx, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was told to stop", err)
	}
}

// pathlib compares the tuple of parts.
func TestOrderByPartsIsThatOfPathlib(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ab./ -]{1,3}(/[ab. -]{1,2}){0,3}`).Filter(func(s string) bool { return !strings.Contains(s, "//") && s[0] != '/' && s[len(s)-1] != '/' })
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		want := slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
		got := attest.ByParts.Compare(a, b)
		if (got < 0) != (want < 0) || (got > 0) != (want > 0) {
			t.Errorf("%q, %q: %d, want %d", a, b, got, want)
		}
	})
}

func TestAPipeInPlaceOfTheModelDoesNotHang(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	fifo(t, path)
	done := make(chan error, 1)
	go func() {
		_, err := of(path, Options{})
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "is a pipe") {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("waits for the other end of a pipe")
	}
}
