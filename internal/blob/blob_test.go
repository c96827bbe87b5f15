package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelverifier/verifier/internal/blob/s3test"
)

// TestMain lets the test's own binary be a program that is killed while it writes an object.
func TestMain(m *testing.M) {
	if address := os.Getenv("BE_A_WRITER"); address != "" {
		b, err := Open(context.Background(), address, signer)
		if err == nil {
			_, err = b.Put(context.Background(), "jobs/a/model.onnx", strings.Repeat("0", 64), 1<<40, os.Stdin)
		}
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var signer = Signer{Secret: bytes.Repeat([]byte{7}, 32), Base: "https://verifier.example"}

// kinds runs a test over a folder and over S3. The folder that it is given is the one in which the files are.
func kinds(t *testing.T, test func(t *testing.T, b *Bucket, address, folder string)) {
	t.Run("folder", func(t *testing.T) {
		folder := t.TempDir()
		test(t, open(t, "file://"+folder), "file://"+folder, folder)
	})
	t.Run("s3", func(t *testing.T) {
		s := s3test.Start(t, t.TempDir())
		test(t, open(t, s.Address()), s.Address(), s.Folder)
	})
}

func open(t *testing.T, address string) *Bucket {
	t.Helper()
	b, err := Open(t.Context(), address, signer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func random(n int) (data []byte, sha string) {
	data = make([]byte, n)
	_, _ = rand.Read(data)
	return data, digest(data)
}

func digest(data []byte) string { sum := sha256.Sum256(data); return hex.EncodeToString(sum[:]) }

func put(t *testing.T, b *Bucket, key string, data []byte) {
	t.Helper()
	n, err := b.Put(t.Context(), key, digest(data), int64(len(data)), bytes.NewReader(data))
	if err != nil || n != int64(len(data)) {
		t.Fatalf("%s: %d %v", key, n, err)
	}
}

func read(t *testing.T, b *Bucket, key string) []byte {
	t.Helper()
	r, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func list(t *testing.T, b *Bucket, prefix string) (keys []string) {
	t.Helper()
	for key, err := range b.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	return keys
}

// files lists what is beneath a folder, with folders, but without what a server keeps there for itself.
func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		if strings.HasPrefix(name, ".sgwtmp") {
			if d.IsDir() {
				return nil
			}
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestWhatWasPutIsRead(t *testing.T) {
	kinds(t, func(t *testing.T, b *Bucket, _, _ string) {
		for _, n := range []int{0, 1, 1 << 20, partBytes, 3*partBytes + 17} {
			data, _ := random(n)
			key := "jobs/a/" + strconv.Itoa(n)
			put(t, b, key, data)
			if !bytes.Equal(read(t, b, key), data) {
				t.Errorf("%d bytes came back as others", n)
			}
		}
		data, _ := random(100)
		put(t, b, "jobs/a/0", data)
		if !bytes.Equal(read(t, b, "jobs/a/0"), data) {
			t.Error("a second object does not take the place of the first")
		}
	})
}

func TestKeysAreListedByTheirBeginning(t *testing.T) {
	kinds(t, func(t *testing.T, b *Bucket, _, _ string) {
		for _, key := range []string{"jobs/b/1", "jobs/a/2", "jobs/a/1", "jobs/ab"} {
			put(t, b, key, []byte(key))
		}
		if got := list(t, b, "jobs/a/"); !slices.Equal(got, []string{"jobs/a/1", "jobs/a/2"}) {
			t.Error(got)
		}
		if got := list(t, b, ""); len(got) != 4 || !slices.IsSorted(got) {
			t.Error(got)
		}
		if got := list(t, b, "none/"); len(got) != 0 {
			t.Error(got)
		}
	})
}

func TestARemovedObjectIsGone(t *testing.T) {
	kinds(t, func(t *testing.T, b *Bucket, _, folder string) {
		put(t, b, "jobs/a/1", []byte("x"))
		for range 2 { // the second time there is none
			if err := b.Delete(t.Context(), "jobs/a/1"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Get(t.Context(), "jobs/a/1"); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		if _, err := b.Link(t.Context(), "jobs/a/1", time.Minute); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		if left := files(t, folder); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
	})
}

// TestNothingIsLeftOfAFailedUpload tries small ones, which S3 gets as one request, and large ones, which it gets in parts.
func TestNothingIsLeftOfAFailedUpload(t *testing.T) {
	broken := errors.New("the connection was cut")
	for _, size := range []int{100, 2*partBytes + 5} {
		data, sha := random(size)
		whole := func() io.Reader { return bytes.NewReader(data) }
		for _, c := range []struct {
			name, sha string
			most      int
			r         func() io.Reader
			is        func(error) bool
		}{
			{"other bytes", strings.Repeat("0", 64), size, whole, func(err error) bool { e := new(DigestError); return errors.As(err, &e) && e.Got == sha }},
			{"digest in capitals", strings.ToUpper(sha), size, whole, func(err error) bool { return errors.As(err, new(*DigestError)) }},
			{"no digest", "", size, whole, func(err error) bool { return errors.As(err, new(*DigestError)) }},
			{"fewer bytes", sha, size, func() io.Reader { return bytes.NewReader(data[:size-1]) }, func(err error) bool { return errors.As(err, new(*DigestError)) }},
			{"more bytes", sha, size - 1, whole, func(err error) bool { e := new(SizeError); return errors.As(err, &e) && e.Most == int64(size-1) }},
			{"half", sha, size, func() io.Reader { return io.MultiReader(bytes.NewReader(data[:size/2]), iotest.ErrReader(broken)) }, func(err error) bool { return errors.Is(err, broken) }},
		} {
			t.Run(fmt.Sprint(c.name, " of ", size), func(t *testing.T) {
				kinds(t, func(t *testing.T, b *Bucket, _, folder string) {
					n, err := b.Put(t.Context(), "jobs/a/model.onnx", c.sha, int64(c.most), c.r())
					if n != 0 || !c.is(err) {
						t.Errorf("%d %v", n, err)
					}
					if _, err := b.Get(t.Context(), "jobs/a/model.onnx"); !errors.Is(err, ErrNotFound) {
						t.Errorf("it can be read: %v", err)
					}
					if left := files(t, folder); len(left) > 0 {
						t.Errorf("%q are left", left)
					}
				})
			})
		}
	}
}

func TestAFailedUploadLeavesWhatWasThere(t *testing.T) {
	kinds(t, func(t *testing.T, b *Bucket, _, folder string) {
		put(t, b, "a/1", []byte("old"))
		if _, err := b.Put(t.Context(), "a/1", strings.Repeat("0", 64), 100, strings.NewReader("new")); !errors.As(err, new(*DigestError)) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		late := io.MultiReader(strings.NewReader("new"), readerFunc(func([]byte) (int, error) { cancel(); return 0, io.EOF }))
		if _, err := b.Put(ctx, "a/1", digest([]byte("new")), 100, late); err == nil {
			t.Error("a cancelled upload was kept")
		}
		if got := read(t, b, "a/1"); string(got) != "old" {
			t.Errorf("%s", got)
		}
		if left := files(t, folder); len(left) != 2 {
			t.Errorf("%q are left", left)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestAKilledWriterLeavesNoObject(t *testing.T) {
	kinds(t, func(t *testing.T, b *Bucket, address, folder string) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BE_A_WRITER="+address)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		data, _ := random(partBytes)
		for range 4 { // the pipe is small: most of it is with the store when the last write returns
			if _, err := stdin.Write(data); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if _, err := b.Get(t.Context(), "jobs/a/model.onnx"); !errors.Is(err, ErrNotFound) {
			t.Errorf("half an object can be read: %v", err)
		}
		if got := list(t, b, ""); len(got) > 0 {
			t.Errorf("%q are listed", got)
		}
		put(t, b, "jobs/a/model.onnx", data)
		if !bytes.Equal(read(t, b, "jobs/a/model.onnx"), data) {
			t.Error("the next upload is not what is read")
		}
		if b.folder != "" {
			swept(t, address, folder)
		}
	})
}

// swept sees that a folder is rid of a killed writer's file when it is opened again, but not of one that may still be written.
func swept(t *testing.T, address, folder string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(folder, "jobs/a/*"+unfinished))
	if err != nil || len(left) != 1 {
		t.Fatal("a killed writer should leave a file without a name: ", left, err)
	}
	if open(t, address); len(files(t, folder)) != 4 {
		t.Error("a file that may still be written was removed")
	}
	old := time.Now().Add(-abandoned - time.Minute)
	if err := os.Chtimes(left[0], old, old); err != nil {
		t.Fatal(err)
	}
	if open(t, address); !slices.Equal(files(t, folder), []string{"jobs", "jobs/a", "jobs/a/model.onnx"}) {
		t.Errorf("%q", files(t, folder))
	}
}

// TestAFullDiskIsSaid has a disk of 8 MiB, and once a file system that may hold no more files.
func TestAFullDiskIsSaid(t *testing.T) {
	for _, kind := range []string{"folder", "s3"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
				t.Skipf("no small disk can be mounted here: %v", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
			address := dir
			if kind == "s3" {
				address = s3test.Start(t, dir).Address()
			}
			b := open(t, address)
			put(t, b, "small", []byte("x"))
			large, sha := random(12 << 20)
			if _, err := b.Put(t.Context(), "large", sha, 1<<30, bytes.NewReader(large)); !errors.Is(err, ErrFull) {
				t.Errorf("%v", err)
			}
			if got := list(t, b, ""); !slices.Equal(got, []string{"small"}) {
				t.Errorf("%q", got)
			}
			middle, _ := random(6 << 20)
			put(t, b, "middle", middle) // there is room again: nothing of the large one is kept
		})
	}
}

func TestAServerThatIsAwayIsSaid(t *testing.T) {
	s := s3test.Start(t, t.TempDir())
	b := open(t, s.Address())
	data, sha := random(6 << 20)
	s.Kill()
	if _, err := b.Put(t.Context(), "a", sha, 1<<30, bytes.NewReader(data)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("writing: %v", err)
	}
	if _, err := b.Get(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("reading: %v", err)
	}
}

func TestKeysAreHeldToTheirForm(t *testing.T) {
	b := open(t, t.TempDir())
	for _, key := range []string{"", "/", "/a", "a/", "a//b", "..", "a/../b", "./a", "a/.hidden", "a/b.tmp", "a.attrs", "a\\b", "a b", "a\nb", "a\x00b", "é", "a?b", "a#b", "a%2e",
		strings.Repeat("a/", 256) + "a", strings.Repeat("a", maxPart+1), `a"b`, "-a"} {
		var bad *KeyError
		if _, err := b.Put(t.Context(), key, digest(nil), 0, strings.NewReader("")); !errors.As(err, &bad) {
			t.Errorf("Put %q: %v", key, err)
		}
		if _, err := b.Get(t.Context(), key); !errors.As(err, &bad) {
			t.Errorf("Get %q: %v", key, err)
		}
		if err := b.Delete(t.Context(), key); !errors.As(err, &bad) {
			t.Errorf("Delete %q: %v", key, err)
		}
		if _, err := b.Link(t.Context(), key, time.Minute); !errors.As(err, &bad) {
			t.Errorf("Link %q: %v", key, err)
		}
	}
	put(t, b, "jobs/ab2c/attempt_1-x/"+strings.Repeat("a", maxPart), nil)
}

func TestAddressesThatAreNoneAreRefused(t *testing.T) {
	for _, address := range []string{"", "gs://bucket", "file://relative", "s3://", "mem://", "http://x"} {
		if b, err := Open(t.Context(), address, signer); err == nil {
			t.Errorf("%q is opened as %v", address, b)
		}
	}
	if _, err := Open(t.Context(), t.TempDir(), Signer{Secret: make([]byte, 31)}); err == nil {
		t.Error("a short secret is taken")
	}
	s := s3test.Start(t, t.TempDir())
	if _, err := Open(t.Context(), strings.Replace(s.Address(), s3test.Bucket, "nothing", 1), signer); err == nil || !strings.Contains(err.Error(), "no such bucket") {
		t.Error(err)
	}
}

// TestOneKeyIsWrittenByMany: the object is one of those that were sent, while others remove it and its folder.
func TestOneKeyIsWrittenByMany(t *testing.T) {
	b := open(t, t.TempDir())
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				data := bytes.Repeat([]byte{byte(i)}, 1000+i)
				if _, err := b.Put(t.Context(), "jobs/a/1", digest(data), 1<<20, bytes.NewReader(data)); err != nil {
					t.Error(err)
				}
				if r, err := b.Get(t.Context(), "jobs/a/1"); err == nil {
					got, err := io.ReadAll(r)
					if err != nil || len(got) != 1000+int(got[0]) || bytes.Count(got, got[:1]) != len(got) {
						t.Errorf("%d bytes: %v", len(got), err)
					}
					r.Close()
				}
				if i%4 == 0 {
					if err := b.Delete(t.Context(), "jobs/a/1"); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
}

// FuzzKeys: a key that is taken stays in the folder, on every system, and is the same in an address.
func FuzzKeys(f *testing.F) {
	for _, key := range []string{"weights/org/job/lease/0a.onnx", "a/../b", "/a", "a//b", "a\\b", ".a", "a%2f"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if valid(key) != nil {
			return
		}
		u, err := url.Parse("https://verifier.example" + Prefix + key)
		if err != nil || u.Path != Prefix+key || path.Clean(u.Path) != u.Path || !filepath.IsLocal(filepath.FromSlash(key)) || strings.ContainsAny(disposition(path.Base(key))[22:], "\\\r\n;") {
			t.Errorf("%q is taken: %v %v", key, u, err)
		}
	})
}
