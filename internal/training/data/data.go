// Package data finds the original files of datasets in a folder, and brings them there: from another folder, or from who published
// them.
//
// A file counts only with the digest that package training pins. What a model or a job is, this package must not know.
package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/training"
)

// Altered is that a file is not the one that was published.
type Altered struct {
	Path        string
	Want, Found training.File // Found has no digest where its size is wrong already
}

func (e *Altered) Error() string {
	if e.Found.Bytes != e.Want.Bytes {
		return fmt.Sprintf("%s has %s bytes, and %s as it was published has %s: it is not used", e.Path, quantity.Grouped(e.Found.Bytes), e.Want.Name, quantity.Grouped(e.Want.Bytes))
	}
	return fmt.Sprintf("%s has the SHA-256 %s, and %s as it was published has %s: it is not used", e.Path, e.Found.SHA256, e.Want.Name, e.Want.SHA256)
}

// Missing is that a dataset is not, or not whole, in a folder.
type Missing struct {
	Dataset, Folder string
	Files           []string
}

func (e *Missing) Error() string {
	return fmt.Sprintf("%s lacks %s: verifier-worker data --dataset %s brings what is missing", e.Folder, strings.Join(e.Files, ", "), e.Dataset)
}

// Progress is how far something is.
type Progress struct {
	File      string
	Done, All int64 // bytes of the whole dataset
}

// Default is the folder that is used where none is named.
func Default() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("name a folder for datasets with --data: %w", err)
	}
	return filepath.Join(cache, "verifier", "data"), nil
}

// Path is where a file of a dataset belongs in a folder.
func Path(folder string, d *training.Dataset, f training.File) string {
	return filepath.Join(folder, d.Name, f.Name)
}

// Verify reads every file of a dataset, and returns their absolute paths by name. It fails with Missing or Altered.
func Verify(ctx context.Context, d *training.Dataset, folder string) (map[string]string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	lacks := &Missing{Dataset: d.Name, Folder: filepath.Join(folder, d.Name)}
	for _, f := range d.Files {
		path := Path(folder, d, f)
		switch err := verify(ctx, path, f); {
		case errors.Is(err, fs.ErrNotExist):
			lacks.Files = append(lacks.Files, f.Name)
		case err != nil:
			return nil, err
		}
		paths[f.Name] = path
	}
	if len(lacks.Files) > 0 {
		return nil, lacks
	}
	return paths, nil
}

// Present lists the datasets that are whole in a folder, and says of those that are there and altered what is wrong with them.
func Present(ctx context.Context, folder string) (names []string, faults []error) {
	for _, d := range training.Datasets() {
		_, err := Verify(ctx, d, folder)
		if lacks := (*Missing)(nil); err == nil {
			names = append(names, d.Name)
		} else if !errors.As(err, &lacks) || len(lacks.Files) < len(d.Files) {
			faults = append(faults, err)
		}
	}
	return names, faults
}

// Stamp changes when a file of a dataset comes, goes or is written to. It reads no file.
func Stamp(folder string) string {
	var b strings.Builder
	for _, d := range training.Datasets() {
		for _, f := range d.Files {
			if info, err := os.Stat(Path(folder, d, f)); err == nil {
				fmt.Fprintf(&b, "%s %d %d\n", f.Name, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}

// verify compares one file with what was published.
func verify(ctx context.Context, path string, want training.File) error {
	f, err := fence.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	found := training.File{Name: want.Name, Bytes: info.Size()}
	if found.Bytes == want.Bytes {
		hash := sha256.New()
		if found.Bytes, err = io.Copy(hash, &until{ctx, io.LimitReader(f, want.Bytes+1)}); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		found.SHA256 = hex.EncodeToString(hash.Sum(nil))
	}
	if found != want {
		return &Altered{path, want, found}
	}
	return nil
}

// until reads as long as a context lasts.
type until struct {
	ctx context.Context
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
