package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// file is something published, rendered when it is first asked for.
type file struct {
	mime    string
	content func() *content
}

// content is what a file holds, plain and compressed.
type content struct {
	body, zipped []byte // zipped is nil where it would be no shorter
	tag          string // hex digits of the SHA-256, for the entity tags
	policy       string // Content-Security-Policy
	cache        string // Cache-Control
}

// compressors are kept because each takes about a megabyte.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func newContent(mime string, body []byte) *content {
	sum := sha256.Sum256(body)
	c := &content{body: body, tag: hex.EncodeToString(sum[:12]), policy: pagePolicy, cache: maxAge}
	if mime == typeSVG {
		c.policy = picturePolicy(body)
	}
	var b bytes.Buffer
	z := compressors.Get().(*gzip.Writer)
	z.Reset(&b)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
	compressors.Put(z)
	if b.Len() < len(body) {
		c.zipped = bytes.Clone(b.Bytes())
	}
	return c
}

// pagePolicy lets a page load our stylesheet and pictures, and nothing else.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// picturePolicy lets a picture that is opened by itself have its own style, by digest, and nothing else.
func picturePolicy(svg []byte) string {
	const sheet = "<style>"
	policy := "default-src 'none'; frame-ancestors 'none'"
	from := bytes.Index(svg, []byte(sheet))
	to := bytes.Index(svg, []byte("</style>"))
	if from < 0 || to < from {
		return policy
	}
	sum := sha256.Sum256(svg[from+len(sheet) : to])
	return policy + "; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// maxAge is how long a cache may answer without asking again. Short, because addresses stay and what is behind them is replaced
// with the program.
const maxAge = "public, max-age=300"

// notFound is the page for paths where nothing is published.
const notFound = "/404.html"

// ServeHTTP answers GET and HEAD with what is published under the path, and with a page that says so where nothing is.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	f := s.find(r.URL.Path)
	if f == nil {
		s.missing(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		h.Set("Content-Security-Policy", pagePolicy)
		http.Error(w, r.URL.Path+" takes GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	c := f.content()
	h.Set("Content-Type", f.mime)
	h.Set("Content-Security-Policy", c.policy)
	h.Set("Cache-Control", c.cache)
	if f.mime != typeHTML {
		h.Set("Access-Control-Allow-Origin", "*") // public data, for the pages of others, too
	}
	body, tag := c.body, c.tag
	if c.zipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r.Header.Values("Accept-Encoding")) {
			body, tag = c.zipped, c.tag+"-gzip"
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Length", strconv.Itoa(len(body))) // ServeContent leaves it out of what is encoded
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// missing answers for a path where nothing is published.
func (s *Site) missing(w http.ResponseWriter, r *http.Request) {
	body := s.files[notFound].content().body
	h := w.Header()
	h.Set("Content-Type", typeHTML)
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusNotFound)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // an error means that the caller has gone
	}
}

// takesGzip reports whether the caller wants gzip: named, or any encoding, with a weight above zero (RFC 9110, section 12.5.3).
func takesGzip(values []string) bool {
	any := false
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			coding, params, _ := strings.Cut(part, ";")
			takes := true
			if q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q="); ok {
				weight, err := strconv.ParseFloat(q, 64)
				takes = err == nil && weight > 0
			}
			switch strings.ToLower(strings.TrimSpace(coding)) {
			case "gzip":
				return takes
			case "*":
				any = takes
			}
		}
	}
	return any
}
