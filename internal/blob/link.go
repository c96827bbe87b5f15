package blob

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// Prefix is where Handler serves the objects of a folder.
const Prefix = "/weights/"

// What an object is sent as: bytes that nobody is to look into, keep or show.
const binary, uncached = "application/octet-stream", "private, no-store"

func disposition(key string) string { return `attachment; filename="` + path.Base(key) + `"` }

// Signer makes the links of a folder. Replicas share its secret; who knows that can make a link to every object.
type Signer struct {
	Secret []byte           // at least 32 bytes
	Base   string           // scheme and host under which the Handler is reached
	Now    func() time.Time // nil: time.Now
}

const leastSecret = 32

func (s Signer) check() error {
	if len(s.Secret) < leastSecret {
		return fmt.Errorf("the secret of links has %d bytes, and needs %d", len(s.Secret), leastSecret)
	}
	return nil
}

func (s Signer) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// The parameters of a link.
const expiresParam, signatureParam = "expires", "signature"

func (s Signer) link(method, key string, lasts time.Duration) string {
	expires := strconv.FormatInt(s.now().Add(lasts).Unix(), 10)
	return strings.TrimSuffix(s.Base, "/") + Prefix + key + "?" + expiresParam + "=" + expires + "&" + signatureParam + "=" + s.signature(method, key, expires)
}

// signature covers everything that a link allows. No part of it can hold a line break, so that no two links have one text.
func (s Signer) signature(method, key, expires string) string {
	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte("model verifier: link to an object\n" + method + "\n" + expires + "\n" + key))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

var (
	errForged  = errors.New("this link was not made by the service, or was changed")
	errExpired = errors.New("this link has expired: read the job again for a new one")
)

// opened returns the key that a request's link allows to read.
func (s Signer) opened(r *http.Request) (string, error) {
	key, ok := strings.CutPrefix(r.URL.Path, Prefix)
	query, err := url.ParseQuery(r.URL.RawQuery)
	if !ok || err != nil || valid(key) != nil || len(query) != 2 || len(query[expiresParam]) != 1 || len(query[signatureParam]) != 1 {
		return "", errForged
	}
	expires := query.Get(expiresParam)
	if !hmac.Equal([]byte(s.signature(r.Method, key, expires)), []byte(query.Get(signatureParam))) {
		return "", errForged
	}
	if end, err := strconv.ParseInt(expires, 10, 64); err != nil || !s.now().Before(time.Unix(end, 0)) {
		return "", errExpired
	}
	return key, nil
}

// Handler serves the links of a folder beneath Prefix. It is nil for S3, which serves its own.
func (b *Bucket) Handler() http.Handler {
	if b.folder == "" {
		return nil
	}
	return http.HandlerFunc(b.serve)
}

func (b *Bucket) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", uncached)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address is the right to read
	if r.Method != http.MethodGet {
		h.Set("Allow", http.MethodGet)
		http.Error(w, "a link is for GET only", http.StatusMethodNotAllowed)
		return
	}
	key, err := b.signer.opened(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	object, err := b.reader(r.Context(), key)
	switch {
	case errors.Is(err, ErrNotFound):
		http.Error(w, "the object of this link is not kept any more", http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, "the object of this link cannot be read now", http.StatusServiceUnavailable)
		return
	}
	defer func() { _ = object.Close() }()
	h.Set("Content-Type", binary)
	h.Set("Content-Disposition", disposition(key))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	http.ServeContent(w, r, "", object.ModTime(), object)
}
