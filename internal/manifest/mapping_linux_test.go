package manifest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelverifier/verifier/internal/attest"
)

// noise writes a file of bytes that differ from one window to the next, and returns its digest.
func noise(t *testing.T, path string, size int) attest.Sum {
	t.Helper()
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
	write(t, path, string(data))
	return sha256.Sum256(data)
}

// shown opens a file that is digested in windows, or skips where the folder for tests lies on a file system whose files are read.
func shown(t *testing.T, path string, size int) (*os.File, *mapping) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	m := mapped(f, int64(size))
	if m == nil {
		var s syscall.Statfs_t
		if err := syscall.Statfs(path, &s); err != nil || inPageCache(uint32(s.Type)) {
			t.Fatalf("a file of %d bytes is not shown (%v)", size, err)
		}
		t.Skipf("files of file system %#x are read", s.Type)
	}
	t.Cleanup(m.close)
	return f, m
}

// stillShown counts the windows on files of a folder that nobody took away.
func stillShown(t *testing.T, dir string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("this machine does not say what is shown: ", err)
	}
	return strings.Count(string(maps), dir)
}

func TestFilesThatAreShownAndFilesThatAreReadHaveTheSameDigest(t *testing.T) {
	for _, size := range []int{windowBytes - 1, windowBytes, windowBytes + 1, 2*windowBytes - 1, 2 * windowBytes, 3*windowBytes + chunkBytes + 1, 5 * windowBytes} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "big")
			want := noise(t, path, size)
			m, err := of(dir, Options{})
			if err != nil || m.Files[0].Sum != want || m.Files[0].Bytes != int64(size) {
				t.Errorf("%v %v, want %x", m, err, want)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			w := &worker{meter: &meter{}}
			if sum, n, err := w.ahead(context.Background(), w.reading(f)); sum != want || n != int64(size) || err != nil {
				t.Errorf("read: %x, %d bytes, %v", sum, n, err)
			}
			if size < windowBytes {
				return
			}
			if stillShown(t, dir) != 0 {
				t.Error("a window is left open")
			}
			_, window := shown(t, path, size)
			if _, err := window.next(); err != nil || stillShown(t, dir) != 1 {
				t.Errorf("%d windows are open, want 1 (%v)", stillShown(t, dir), err)
			}
		})
	}
}

// Reading a window of a file that was cut short is a fault, which ends a program that does not expect it.
func TestAFaultInAWindowIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big")
	noise(t, path, 2*windowBytes)
	_, m := shown(t, path, 2*windowBytes)
	data, err := m.next()
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	if err := feed(h, data); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100_000); err != nil {
		t.Fatal(err)
	}
	for _, from := range []int{0, 64 << 10, 1 << 20, len(data) - 1} { // blocks that SHA-256 reads in place, and a rest that is copied
		if err := feed(h, data[from:]); !errors.Is(err, errLost) {
			t.Errorf("from byte %d: %v, want %v", from, err, errLost)
		}
	}
	if next, err := m.next(); err != nil || !errors.Is(feed(h, next), errLost) {
		t.Errorf("a window behind the end: %v", err)
	}
}

type failing struct{ noHash }

type noHash interface {
	Sum([]byte) []byte
	Reset()
	Size() int
	BlockSize() int
}

func (failing) Write([]byte) (int, error) { panic("a fault of ours") }

func TestAFaultOfOursStaysOne(t *testing.T) {
	defer func() {
		if r := recover(); r != "a fault of ours" {
			t.Errorf("%v", r)
		}
	}()
	_ = feed(failing{}, []byte("x"))
}

func TestWindowsAreTakenAwayWhenTheDigestStops(t *testing.T) {
	dir := t.TempDir()
	noise(t, filepath.Join(dir, "big"), 4*windowBytes)
	shown(t, filepath.Join(dir, "big"), 4*windowBytes)
	ctx, stop := context.WithCancel(context.Background())
	l, err := List(ctx, dir, Options{Progress: func(Progress) { stop() }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Hash(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if stillShown(t, dir) != 0 {
		t.Error("a window is left open")
	}
}

func TestAFileWithHolesIsReadAndTakesNoMemory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "big")
	write(t, path, "x")
	const size = 8 * windowBytes
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if m := mapped(f, size); m != nil {
		t.Error("is shown")
	}
	data := make([]byte, size)
	data[0] = 'x'
	if m, err := of(dir, Options{}); err != nil || m.Files[0].Sum != sha256.Sum256(data) {
		t.Errorf("%v %v", m, err)
	}
}

func TestFilesThatAreNotOfThePageCacheAreRead(t *testing.T) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Skip("this machine has no /proc: ", err)
	}
	defer f.Close()
	if mapped(f, windowBytes) != nil {
		t.Error("is shown")
	}
	for name, kind := range map[string]uint32{"nfs": 0x6969, "smb": 0xff534d42, "fuse": 0x65735546, "9p": 0x01021997, "zfs": 0x2fc12fc1} {
		if inPageCache(kind) {
			t.Errorf("%s is shown", name)
		}
	}
}
