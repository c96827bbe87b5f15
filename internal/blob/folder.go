package blob

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob/fileblob"
)

// unfinished is how the file of an object ends until it has its name.
const unfinished = ".tmp"

// abandoned is how long nothing was written to a file whose writer is taken to have died.
const abandoned = time.Hour

func openFolder(folder string, sign Signer) (*Bucket, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	if err := sign.check(); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	// Files that are being written lie beside the others, because a name is only given to them within one disk.
	b, err := fileblob.OpenBucket(folder, &fileblob.Options{CreateDir: true, DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	if err := sweep(folder, time.Now()); err != nil {
		return nil, errors.Join(fmt.Errorf("blob: %w", err), b.Close())
	}
	return &Bucket{bucket: b, folder: folder, signer: sign}, nil
}

// sweep removes what writers left that were killed.
func sweep(folder string, now time.Time) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another replica was faster
		}
		if err != nil || !strings.HasSuffix(name, unfinished) || !d.Type().IsRegular() {
			return err
		}
		if info, err := d.Info(); err == nil && now.Sub(info.ModTime()) > abandoned {
			_ = root.Remove(name)
		}
		return nil
	})
}

// prune removes the folders of a key that hold nothing any more.
func (b *Bucket) prune(key string) {
	if b.folder == "" {
		return
	}
	for dir := path.Dir(key); dir != "."; dir = path.Dir(dir) {
		if os.Remove(filepath.Join(b.folder, filepath.FromSlash(dir))) != nil {
			return
		}
	}
}
