// Package blob keeps objects: checkpoints and weights, in a folder or in an S3 bucket, through gocloud.dev/blob.
//
// An object is whole or not there: its SHA-256 and size are verified while it is written, and it gets its name behind its last byte.
// A signed link gives out one object for some minutes. The package knows no job and no owner: whoever calls it says which key is
// whose.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

// ErrNotFound is that there is no object under a key.
var ErrNotFound = errors.New("there is no such object")

// ErrFull is that what keeps the objects has no room left. Nothing of the object was kept.
var ErrFull = errors.New("the store of objects is full")

// ErrUnavailable is that what keeps the objects does not answer, or cannot at the moment.
var ErrUnavailable = errors.New("the store of objects cannot be reached")

// KeyError is a key that no object can have.
type KeyError struct{ Key string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("%.80q is no key of an object: parts of letters, digits, . _ and -, with / between, %d characters at the most", e.Key, maxKey)
}

// DigestError is that other bytes came than were announced.
type DigestError struct{ Want, Got string }

func (e *DigestError) Error() string {
	return fmt.Sprintf("the bytes have the SHA-256 %s, but %.64q was announced", e.Got, e.Want)
}

// SizeError is that more bytes came than an object may have.
type SizeError struct{ Most int64 }

func (e *SizeError) Error() string { return fmt.Sprintf("the object has more than %d bytes", e.Most) }

// Bucket keeps objects under keys.
type Bucket struct {
	bucket *blob.Bucket
	folder string // empty: S3
	signer Signer
}

// Open opens what an address names: file:///folder, or a path alone, is a folder, which is made; s3://bucket?region=… is an S3 bucket,
// whose credentials are looked for where the AWS tools look for them.
func Open(ctx context.Context, address string, sign Signer) (*Bucket, error) {
	scheme, rest, ok := strings.Cut(address, "://")
	switch {
	case address == "":
		return nil, errors.New("blob: the address is empty: file:///folder or s3://bucket?region=…")
	case !ok:
		return openFolder(address, sign)
	case scheme == "file" && strings.HasPrefix(rest, "/"):
		folder, err := url.PathUnescape(rest)
		if err != nil {
			return nil, fmt.Errorf("blob: %s: %w", address, err)
		}
		return openFolder(folder, sign)
	case scheme == "s3":
		return openS3(ctx, address, sign)
	}
	return nil, fmt.Errorf("blob: %q is no address of a store: file:///folder or s3://bucket?region=…", address)
}

func openS3(ctx context.Context, address string, sign Signer) (*Bucket, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	b, err := new(s3blob.URLOpener).OpenBucketURL(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	there, err := b.IsAccessible(ctx)
	if err == nil && !there {
		err = errors.New("there is no such bucket")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("blob: s3://%s: %w", u.Host, err), b.Close())
	}
	return &Bucket{bucket: b, signer: sign}, nil
}

// Close gives up what the bucket holds open.
func (b *Bucket) Close() error { return b.bucket.Close() }

// maxKey is how long a key may be. A file's name has at most 255 bytes, and one that is being written is 21 longer.
const maxKey, maxPart = 512, 200

// keys leaves out what folders, links and headers would take for something else.
var keys = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$`)

// reserved are endings that a folder gives to files of its own.
var reserved = []string{unfinished, ".attrs"}

func valid(key string) error {
	if len(key) > maxKey || !keys.MatchString(key) {
		return &KeyError{key}
	}
	for part := range strings.SplitSeq(key, "/") {
		if len(part) > maxPart {
			return &KeyError{key}
		}
	}
	for _, end := range reserved {
		if strings.HasSuffix(key, end) {
			return &KeyError{key}
		}
	}
	return nil
}

// fault gives an error of the store one of this package's words, where it has one.
func fault(what, key string, err error) error {
	var api smithy.APIError
	switch {
	case err == nil:
		return nil
	case gcerrors.Code(err) == gcerrors.NotFound:
		return fmt.Errorf("blob: %s: %w", key, ErrNotFound)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.As(err, &api) && full[api.ErrorCode()]:
		return fmt.Errorf("blob: %s %s: %w", what, key, ErrFull)
	case away(err):
		return fmt.Errorf("blob: %s %s: %w: %w", what, key, ErrUnavailable, err)
	}
	return fmt.Errorf("blob: %s %s: %w", what, key, err)
}

// away reports whether an S3 server was not reached, or said that the fault is its own.
func away(err error) bool {
	var unsent *smithyhttp.RequestSendError
	var answered *smithyhttp.ResponseError
	return errors.As(err, &unsent) || errors.As(err, &answered) && answered.HTTPStatusCode() >= http.StatusInternalServerError
}

// full are the words of S3 servers for it. Amazon's own has none, because it is never full.
var full = map[string]bool{
	"QuotaExceeded": true, "NoSpaceLeftOnDevice": true, // versitygw
	"XMinioStorageFull": true, "XMinioAdminBucketQuotaExceeded": true, // MinIO
	"InsufficientStorage": true,
}

// Get opens an object for reading.
func (b *Bucket) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	return b.reader(ctx, key)
}

func (b *Bucket) reader(ctx context.Context, key string) (*blob.Reader, error) {
	if err := valid(key); err != nil {
		return nil, err
	}
	r, err := b.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, fault("read", key, err)
	}
	return r, nil
}

// Delete removes an object. It is no error that there is none.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if err := valid(key); err != nil {
		return err
	}
	err := fault("remove", key, b.bucket.Delete(ctx, key))
	b.prune(key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// List goes through the keys that begin with a prefix, in their order. Objects that are being written are not among them.
func (b *Bucket) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if prefix != "" && valid(strings.TrimSuffix(prefix, "/")) != nil {
			yield("", &KeyError{prefix})
			return
		}
		for objects := b.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
			o, err := objects.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield("", fault("list", prefix, err))
				return
			}
			if valid(o.Key) == nil && !yield(o.Key, nil) {
				return
			}
		}
	}
}

// Link returns an address at which an object can be read without a key, for so long. It is an error that there is no such object.
func (b *Bucket) Link(ctx context.Context, key string, lasts time.Duration) (string, error) {
	if err := valid(key); err != nil {
		return "", err
	}
	there, err := b.bucket.Exists(ctx, key)
	if err == nil && !there {
		return "", fmt.Errorf("blob: %s: %w", key, ErrNotFound)
	}
	if err != nil {
		return "", fault("link to", key, err)
	}
	if b.folder != "" {
		return b.signer.link(http.MethodGet, key, lasts), nil
	}
	link, err := b.bucket.SignedURL(ctx, key, &blob.SignedURLOptions{Expiry: lasts, Method: http.MethodGet, BeforeSign: func(as func(any) bool) error {
		var in *s3.GetObjectInput
		if as(&in) {
			in.ResponseContentDisposition = new(disposition(key))
			in.ResponseContentType = new(binary)
			in.ResponseCacheControl = new(uncached)
		}
		return nil
	}})
	return link, fault("link to", key, err)
}
