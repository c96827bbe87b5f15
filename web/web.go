// Package web is the app in a browser: its pages, which npm run build makes from web/src, and the engine for the browser, which make
// builds from Go. It serves both and knows nothing of what they do.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed dist engine
var files embed.FS

// Policy lets the app run its own scripts, compile the engine, and ask the server that it comes from. There is no inline code in it, and
// no other host.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// mimes are the types of what is served, by the end of a name.
var mimes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	".wasm": "application/wasm", ".json": "application/json", ".woff2": "font/woff2", ".png": "image/png", ".txt": "text/plain; charset=utf-8",
}

// asset is a file in the forms in which it can be sent. Of the engine there are only compressed ones.
type asset struct {
	mime, tag, cache string
	plain            []byte
	forms            map[string][]byte // by Content-Encoding
}

// assets are the files by their path from the app's own address.
var assets = sync.OnceValue(func() map[string]*asset {
	out := map[string]*asset{}
	add := func(root, to string) {
		err := fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "README.md" {
				return err
			}
			data, err := files.ReadFile(name)
			if err == nil {
				addFile(out, to+strings.TrimPrefix(name, root+"/"), data)
			}
			return err
		})
		if err != nil {
			panic("web: " + err.Error()) // cannot happen: the folders are embedded
		}
	}
	add("dist", "")
	add("engine", "engine/")
	return out
})

// addFile takes a file in: a compressed one as a form of the file that it stands for.
func addFile(out map[string]*asset, name string, data []byte) {
	encoding := ""
	if stem, ok := strings.CutSuffix(name, ".br"); ok {
		name, encoding = stem, "br"
	} else if stem, ok := strings.CutSuffix(name, ".gz"); ok {
		name, encoding = stem, "gzip"
	}
	a := out[name]
	if a == nil {
		a = &asset{mime: mimes[path.Ext(name)], cache: "no-cache", forms: map[string][]byte{}}
		if strings.HasPrefix(name, "assets/") { // named by their content
			a.cache = "public, max-age=31536000, immutable"
		}
		out[name] = a
	}
	if encoding != "" {
		a.forms[encoding] = data
	} else {
		a.plain = data
		a.forms["gzip"] = zipped(data)
	}
	sum := sha256.Sum256(data)
	a.tag += hex.EncodeToString(sum[:8])
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one
	_, _ = z.Write(data)                                  // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// HasEngine reports whether make has built the engine for the browser into this program.
func HasEngine() bool { return assets()["engine/verifier.wasm"] != nil }

// Has reports whether the app has something under a path, which begins with a slash.
func Has(name string) bool { return find(name) != nil }

func find(name string) *asset {
	name = strings.TrimPrefix(name, "/")
	if name == "" {
		name = "index.html"
	}
	return assets()[name]
}

// tags are what the head of index.html loads, by addresses that are relative to the app's own.
var tags = regexp.MustCompile(`<(?:script|link rel="(?:stylesheet|modulepreload)")[^>]*(?:src|href)="\./[^>]*>(?:</script>)?`)

// Head is what another page of the same server has in its head to be the app, which is served below a path.
func Head(path string) string {
	index := string(assets()["index.html"].plain)
	found := strings.Join(tags.FindAllString(index, -1), "\n")
	return strings.NewReplacer(`src="./`, `src="`+path, `href="./`, `href="`+path).Replace(found)
}

// Handler serves the app below its own address: /, /assets/…, /engine/….
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", Policy)
	a := find(r.URL.Path)
	if a == nil {
		h.Set("Cache-Control", "no-store")
		http.Error(w, "the app has nothing here; what make builds into it may be missing", http.StatusNotFound)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "takes GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	body, encoding := a.form(r.Header.Values("Accept-Encoding"))
	h.Set("Content-Type", a.mime)
	h.Set("Cache-Control", a.cache)
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", `"`+a.tag+encoding+`"`)
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
		h.Set("Content-Length", strconv.Itoa(len(body))) // ServeContent leaves it out of what is encoded
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// form chooses what to send: the shortest that the caller takes.
func (a *asset) form(accepted []string) (body []byte, encoding string) {
	for _, encoding := range []string{"br", "gzip"} {
		if body := a.forms[encoding]; body != nil && takes(accepted, encoding) {
			return body, encoding
		}
	}
	if a.plain != nil {
		return a.plain, ""
	}
	z, err := gzip.NewReader(bytes.NewReader(a.forms["gzip"]))
	if err == nil {
		body, err = io.ReadAll(z)
	}
	if err != nil {
		panic("web: " + err.Error()) // cannot happen: make has written it
	}
	return body, ""
}

// takes reports whether the caller wants an encoding: named, with a weight above zero (RFC 9110, section 12.5.3).
func takes(values []string, encoding string) bool {
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			coding, params, _ := strings.Cut(part, ";")
			if !strings.EqualFold(strings.TrimSpace(coding), encoding) {
				continue
			}
			q, weighed := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q=")
			weight, err := strconv.ParseFloat(q, 64)
			return !weighed || err == nil && weight > 0
		}
	}
	return false
}
