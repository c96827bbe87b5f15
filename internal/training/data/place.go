package data

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/training"
)

// placing brings the files of one dataset into a folder.
type placing struct {
	ctx     context.Context
	dataset *training.Dataset
	to      string
	done    int64 // bytes of the files that are there
	report  func(Progress)
}

func begin(ctx context.Context, d *training.Dataset, to string, report func(Progress)) (*placing, error) {
	if report == nil {
		report = func(Progress) {}
	}
	return &placing{ctx: ctx, dataset: d, to: to, report: report}, os.MkdirAll(filepath.Join(to, d.Name), 0o755)
}

func (p *placing) all() (n int64) {
	for _, f := range p.dataset.Files {
		n += f.Bytes
	}
	return n
}

// there reports whether a file has been placed already, in this run or in an earlier one.
func (p *placing) there(f training.File) bool {
	return verify(p.ctx, Path(p.to, p.dataset, f), f) == nil
}

// place writes a file under its name once its digest is right. Until then, and for good where it is wrong, it has another name.
func (p *placing) place(f training.File, from string, r io.Reader) (err error) {
	tmp, err := os.CreateTemp(filepath.Join(p.to, p.dataset.Name), "."+f.Name+".*")
	if err != nil {
		return err
	}
	defer func() {
		_ = tmp.Close()
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	hash := sha256.New()
	found := training.File{Name: f.Name}
	counted := &counting{p: p, file: f.Name, r: &until{p.ctx, io.LimitReader(r, f.Bytes+1)}}
	if found.Bytes, err = io.Copy(io.MultiWriter(tmp, hash), counted); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if found.Bytes == f.Bytes {
		found.SHA256 = hex.EncodeToString(hash.Sum(nil))
	}
	if found != f {
		return &Altered{from, f, found}
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	p.done += f.Bytes
	return os.Rename(tmp.Name(), Path(p.to, p.dataset, f))
}

// counting reports what is read.
type counting struct {
	p    *placing
	file string
	r    io.Reader
	n    int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	c.p.report(Progress{c.file, c.p.done + c.n, c.p.all()})
	return n, err
}

// placePacked is place for a stream whose name ends in .gz where it is compressed.
func (p *placing) placePacked(f training.File, from string, r io.Reader) error {
	if strings.HasSuffix(from, ".gz") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		r = z
	}
	return p.place(f, from, r)
}

// placeArchive takes those files of a compressed tar archive that the dataset has; names of folders in it are not looked at.
func (p *placing) placeArchive(from string, r io.Reader) error {
	z, err := gzip.NewReader(&until{p.ctx, r})
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	for t := tar.NewReader(z); ; {
		head, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		for _, f := range p.dataset.Files {
			if head.Typeflag == tar.TypeReg && path.Base(head.Name) == f.Name {
				if err := p.place(f, from+": "+head.Name, t); err != nil {
					return err
				}
			}
		}
	}
}
