//go:build unix

package fence

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestOnlyRegularFilesAreOpened holds that a pipe is refused and not waited for, and a device not read.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	root := t.TempDir()
	pipe := filepath.Join(root, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skipf("skipped: pipes cannot be made here: %v", err)
	}
	d, err := Folder(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := ReadFile(d, "pipe", 9); !errors.Is(err, ErrNotRegular) {
			t.Error(err)
		}
		for _, name := range []string{pipe, "/dev/zero"} {
			if _, err := Read(name, 9); !errors.Is(err, ErrNotRegular) {
				t.Error(name, err)
			}
		}
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("a pipe is waited for")
	}
}

// TestAFileThatBecomesALinkOrAPipeIsNotFollowed changes a name between a file, a link out and a pipe while it is read.
func TestAFileThatBecomesALinkOrAPipeIsNotFollowed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	name, beside := filepath.Join(root, "a"), filepath.Join(root, "b")
	if err := os.WriteFile(name, []byte("inside"), 0o644); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			var err error
			switch i % 3 {
			case 0:
				err = os.Symlink(outside, beside)
			case 1:
				err = syscall.Mkfifo(beside, 0o644)
			case 2:
				err = os.WriteFile(beside, []byte("inside"), 0o644)
			}
			if err == nil {
				err = os.Rename(beside, name)
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	d, err := Folder(root)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for range 20_000 {
		for _, from := range []func() ([]byte, error){func() ([]byte, error) { return ReadFile(d, "a", 99) }, func() ([]byte, error) { return ReadPlain(d, "a", 99) }} {
			data, err := from()
			if err == nil && string(data) == "outside" {
				t.Fatal("a file outside was read")
			}
			if err == nil && len(data) > 0 {
				read++
			}
		}
	}
	close(stop)
	<-stopped
	if err := d.Close(); err != nil || read == 0 {
		t.Errorf("%d reads, %v", read, err)
	}
}
