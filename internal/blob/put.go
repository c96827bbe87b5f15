package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"gocloud.dev/blob"
)

// Parts of a large object are sent to S3 by two at a time: fifty uploads at once then take half a gigabyte of memory.
const partBytes, partsAtOnce = 5 << 20, 2

// Put writes an object of at most so many bytes, and says how many there were. The object has its name once all bytes have come and
// have the SHA-256 that was announced, in hexadecimal digits; until then, and where that does not happen, whatever was under the key
// stays.
func (b *Bucket) Put(ctx context.Context, key, sha256hex string, most int64, r io.Reader) (int64, error) {
	if err := valid(key); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var file *os.File // in a folder
	w, err := b.writer(ctx, key, &file)
	if err != nil {
		return 0, fault("write", key, err)
	}
	v := &verifier{r: r, want: sha256hex, left: most, most: most, hash: sha256.New()}
	_, err = io.Copy(w, v)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		cancel() // Close then leaves nothing, instead of giving the object its name
		closed := w.Close()
		b.discard(key, file, closed)
		if v.err != nil {
			return 0, v.err
		}
		return 0, fault("write", key, err)
	}
	if err := w.Close(); err != nil {
		b.discard(key, file, err)
		return 0, fault("write", key, err)
	}
	return most - v.left, fault("write", key, b.settle(key))
}

// writer begins an object. The folder of its file may be removed meanwhile, by whoever removes the last object in it.
func (b *Bucket) writer(ctx context.Context, key string, file **os.File) (w *blob.Writer, err error) {
	for range 10 {
		w, err = b.bucket.NewWriter(ctx, key, &blob.WriterOptions{ContentType: binary, DisableContentTypeDetection: true,
			BufferSize: partBytes, MaxConcurrency: partsAtOnce, BeforeWrite: func(as func(any) bool) error {
				as(file)
				return nil
			}})
		if err == nil || b.folder == "" || !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return w, err
}

// discard removes what a failed Put left: a file without a name where closing it failed, or the whole object where the store finished
// it although it was told not to.
func (b *Bucket) discard(key string, file *os.File, closed error) {
	if file != nil {
		_ = os.Remove(file.Name())
		b.prune(key)
	} else if closed == nil {
		_ = b.bucket.Delete(context.Background(), key)
	}
}

// settle brings the name of a new file to the disk. Where its folder is gone, someone has removed the object since, and the folder with it.
func (b *Bucket) settle(key string) error {
	if b.folder == "" {
		return nil
	}
	dir, err := os.Open(filepath.Dir(filepath.Join(b.folder, filepath.FromSlash(key))))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// verifier hands bytes on, and says at their end whether they are those that were announced.
type verifier struct {
	r    io.Reader
	want string
	left int64
	most int64
	hash hash.Hash
	err  error // of what was sent, and not of the store
}

func (v *verifier) Read(p []byte) (int, error) {
	if v.err != nil {
		return 0, v.err
	}
	n, err := v.r.Read(p)
	if int64(n) > v.left {
		v.err = &SizeError{v.most}
		return 0, v.err
	}
	v.left -= int64(n)
	v.hash.Write(p[:n])
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		v.err = fmt.Errorf("blob: the bytes broke off after %d: %w", v.most-v.left, err)
		return n, v.err
	}
	if got := hex.EncodeToString(v.hash.Sum(nil)); got != v.want {
		v.err = &DigestError{v.want, got}
		return n, v.err
	}
	return n, io.EOF
}
