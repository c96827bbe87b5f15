package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// listing is what the hub says of a model at a commit.
type listing struct {
	commit string
	files  map[string]*remoteFile
}

// remoteFile is a file on the hub.
type remoteFile struct {
	name   string
	bytes  int64
	digest string // SHA-1 as git makes it of a file, or SHA-256 of one in large file storage; nothing where the hub did not say
}

// maxListing bounds the answer about a model; the longest have some ten thousand files.
const maxListing = 64 << 20

var isDigest = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`).MatchString

// model asks for the commit and the files of a model.
func (c *client) model(ctx context.Context, i id) (*listing, error) {
	address := c.address(append(append([]string{"api", "models"}, strings.Split(i.repo(), "/")...), "revision", i.revision)...) + "?blobs=true"
	var data []byte
	err := c.persist(ctx, func() (bool, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		a, err := c.ask(ctx, http.MethodGet, address, "")
		if err != nil {
			return false, err
		}
		defer a.Body.Close()
		data, err = c.readAll(cancel, a.Body)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return parseListing(data)
}

// readAll reads a body to its end.
func (c *client) readAll(cancel context.CancelFunc, body io.Reader) ([]byte, error) {
	var data []byte
	for {
		data = slices.Grow(data, 64<<10)
		n, err := c.readSome(cancel, body, data[len(data):cap(data)])
		data = data[:len(data)+n]
		if len(data) > maxListing {
			return nil, fmt.Errorf("the hub's answer has more than %d bytes", maxListing)
		}
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, &temporary{err: errors.New("the connection was lost")}
		}
	}
}

// parseListing reads the answer about a model.
func parseListing(data []byte) (*listing, error) {
	var body struct {
		SHA      string
		Siblings []struct {
			Name   string `json:"rfilename"`
			Size   *int64
			BlobID string `json:"blobId"`
			LFS    *struct {
				SHA256 string
				OID    string
				Size   *int64
			}
		}
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, errors.New("the hub's answer about the model is not the JSON that it should be")
	}
	if !isCommit(body.SHA) {
		return nil, errors.New("the hub's answer about the model names no commit")
	}
	l := &listing{commit: body.SHA, files: make(map[string]*remoteFile, len(body.Siblings))}
	for _, s := range body.Siblings {
		f := &remoteFile{name: s.Name, bytes: -1, digest: s.BlobID}
		if s.Size != nil {
			f.bytes = *s.Size
		}
		if s.LFS != nil {
			if f.digest = s.LFS.SHA256; f.digest == "" {
				f.digest = s.LFS.OID
			}
			if s.LFS.Size != nil {
				f.bytes = *s.LFS.Size
			}
		}
		if !isDigest(f.digest) || f.bytes < 0 {
			f.digest, f.bytes = "", -1
		}
		l.files[f.name] = f
	}
	return l, nil
}

// file is the address of a file at a commit.
func (c *client) file(i id, commit, name string) string {
	return c.address(slices.Concat(strings.Split(i.repo(), "/"), []string{"resolve", commit}, strings.Split(name, "/"))...)
}

// describe asks for the size and digest of a file where the listing does not have them.
func (c *client) describe(ctx context.Context, i id, commit string, f *remoteFile) error {
	if f.digest != "" {
		return nil
	}
	return c.persist(ctx, func() (bool, error) {
		a, err := c.ask(ctx, http.MethodHead, c.file(i, commit, f.name), "")
		if err != nil {
			return false, err
		}
		a.Body.Close()
		if !isDigest(a.etag) || a.size < 0 {
			return false, fmt.Errorf("the hub does not say the size and digest of %s", f.name)
		}
		if a.commit != "" && a.commit != commit {
			return false, fmt.Errorf("the hub answers for commit %s of %s instead of %s", clean(a.commit), f.name, commit)
		}
		f.bytes, f.digest = a.size, a.etag
		return false, nil
	})
}

// fetchRange appends the bytes of a file up to, and without, byte end to what is there of it, and returns what it has got, also with an error.
// A connection that is cut is taken up where it ended. Not a byte more is asked for.
func (c *client) fetchRange(ctx context.Context, i id, commit string, f *remoteFile, have []byte, end int64) ([]byte, error) {
	if int64(len(have)) > end {
		have = have[:end]
	}
	err := c.persist(ctx, func() (bool, error) {
		before := len(have)
		var err error
		if int64(before) < end {
			have, err = c.fetchOnce(ctx, i, commit, f, have, end)
		}
		return len(have) > before, err
	})
	return have, err
}

func (c *client) fetchOnce(ctx context.Context, i id, commit string, f *remoteFile, have []byte, end int64) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := int64(len(have))
	a, err := c.ask(ctx, http.MethodGet, c.file(i, commit, f.name), fmt.Sprintf("%d-%d", start, end-1))
	if err != nil {
		return have, err
	}
	defer a.Body.Close()
	if err := a.matches(commit, f, start, end); err != nil {
		return have, err
	}
	if a.StatusCode == http.StatusOK && start > 0 { // the range was not heeded: step over what is there
		if _, err := c.readSome(cancel, a.Body, make([]byte, start)); err != nil {
			return have, &temporary{err: fmt.Errorf("%s: the connection was lost", f.name)}
		}
	}
	have = slices.Grow(have, int(min(end-start, 1<<20)))
	for int64(len(have)) < end {
		have = slices.Grow(have, int(min(end-int64(len(have)), 1<<20)))
		room := have[len(have):min(int64(cap(have)), end)]
		n, err := c.readSome(cancel, a.Body, room)
		have = have[:len(have)+n]
		if err != nil && int64(len(have)) < end {
			return have, &temporary{err: fmt.Errorf("%s: the connection was lost at byte %d of %d", f.name, len(have), end)}
		}
	}
	return have, nil
}

// matches demands that an answer is about the file that was asked for.
func (a *answer) matches(commit string, f *remoteFile, start, end int64) error {
	switch {
	case a.commit != "" && a.commit != commit:
		return fmt.Errorf("the hub answers for commit %s of %s instead of %s", clean(a.commit), f.name, commit)
	case a.etag != "" && isDigest(a.etag) && a.etag != f.digest:
		return fmt.Errorf("%s has digest %s on the hub, but its listing says %s", f.name, a.etag, f.digest)
	case a.Header.Get("Content-Encoding") != "" && a.Header.Get("Content-Encoding") != "identity":
		return fmt.Errorf("%s comes compressed, although that was not asked for", f.name)
	case a.StatusCode == http.StatusPartialContent:
		from, total, ok := contentRange(a.Header.Get("Content-Range"))
		if !ok || from != start || total >= 0 && total != f.bytes {
			return fmt.Errorf("bytes %d to %d of the %d of %s were asked for, but the answer has %q", start, end-1, f.bytes, f.name, clean(a.Header.Get("Content-Range")))
		}
	case a.StatusCode != http.StatusOK:
		return fmt.Errorf("%s is answered with status %d", f.name, a.StatusCode)
	case a.ContentLength >= 0 && a.ContentLength != f.bytes:
		return fmt.Errorf("%s should have %d bytes, but the answer has %d", f.name, f.bytes, a.ContentLength)
	}
	return nil
}

// contentRange reads "bytes 8-99/1000". The total is -1 where the server does not know it.
func contentRange(v string) (from, total int64, ok bool) {
	span, all, ok := strings.Cut(strings.TrimPrefix(v, "bytes "), "/")
	first, _, dash := strings.Cut(span, "-")
	from, err := strconv.ParseInt(first, 10, 64)
	if !ok || !dash || err != nil {
		return 0, 0, false
	}
	if all == "*" {
		return from, -1, true
	}
	total, err = strconv.ParseInt(all, 10, 64)
	return from, total, err == nil && total >= 0
}
