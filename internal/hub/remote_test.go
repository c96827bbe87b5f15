package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/safetensors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "hf_secretsecret"

// fake is a hub and, at another address, the host that it leaves large files to. It speaks what huggingface_hub's file_download.py and
// hf_api.py expect: a listing with commit and digests; files under resolve/, small ones by way of a relative redirect, large ones with
// X-Linked-Etag and X-Linked-Size on a redirect to a signed address; X-Error-Code on refusals.
type fake struct {
	hub, cdn *httptest.Server
	mutex    sync.Mutex
	files    map[string]string
	large    map[string]bool
	bare     bool               // the listing has names alone
	private  bool               // needs the token
	faults   map[string][]fault // by file or "listing", used up one by one
	log      []string
	served   map[string]int64 // bytes of each file
	leaks    []string
}

// fault is what goes wrong with a request.
type fault struct {
	status int
	header map[string]string
	after  int  // bytes after which the connection is cut
	stall  bool // and instead of being cut it hangs
	whole  bool // ranges are not heeded
	text   string
}

func newFake(t *testing.T, files map[string]string) *fake {
	f := &fake{files: files, large: map[string]bool{}, faults: map[string][]fault{}, served: map[string]int64{}}
	for name := range files {
		f.large[name] = strings.HasSuffix(name, ".safetensors")
	}
	f.hub = httptest.NewServer(http.HandlerFunc(f.serveHub))
	f.cdn = httptest.NewServer(http.HandlerFunc(f.serveCDN))
	t.Cleanup(f.hub.Close)
	t.Cleanup(f.cdn.Close)
	return f
}

func (f *fake) digest(name string) string {
	if f.large[name] {
		sum := sha256.Sum256([]byte(f.files[name]))
		return hex.EncodeToString(sum[:])
	}
	return digest([]byte(f.files[name]), strings.Repeat("0", 40))
}

func (f *fake) note(r *http.Request, host string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.log = append(f.log, strings.TrimSpace(host+" "+r.Method+" "+r.URL.Path+" "+r.Header.Get("Range")))
	if host == "cdn" && r.Header.Get("Authorization") != "" {
		f.leaks = append(f.leaks, r.URL.Path)
	}
}

// trouble takes the next fault of a file, and deals with those that are answers of their own.
func (f *fake) trouble(w http.ResponseWriter, name string) (fault, bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(f.faults[name]) == 0 {
		return fault{}, false
	}
	x := f.faults[name][0]
	f.faults[name] = f.faults[name][1:]
	for k, v := range x.header {
		w.Header().Set(k, v)
	}
	if x.status != 0 {
		w.WriteHeader(x.status)
		return x, true
	}
	return x, false
}

func (f *fake) serveHub(w http.ResponseWriter, r *http.Request) {
	f.note(r, "hub")
	if f.private && r.Header.Get("Authorization") != "Bearer "+secret {
		w.Header().Set("X-Error-Code", "RepoNotFound")
		w.Header().Set("X-Error-Message", "Repository not found")
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, "/api/models/org/net/revision/"); ok {
		f.serveListing(w, r, rest)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/org/net/resolve/"+commitA+"/")
	cachedName, again := strings.CutPrefix(r.URL.Path, "/api/resolve-cache/models/org/net/"+commitA+"/")
	if again {
		name, ok = cachedName, true
	}
	if _, there := f.files[name]; !ok || !there {
		w.Header().Set("X-Error-Code", "EntryNotFound")
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("X-Repo-Commit", commitA)
	switch {
	case f.large[name]:
		w.Header().Set("X-Linked-Etag", `"`+f.digest(name)+`"`)
		w.Header().Set("X-Linked-Size", fmt.Sprint(len(f.files[name])))
		w.Header().Set("Location", f.cdn.URL+"/"+name+"?Signature=signed")
		w.WriteHeader(http.StatusFound)
	case !again:
		w.Header().Set("Location", "/api/resolve-cache/models/org/net/"+commitA+"/"+name)
		w.WriteHeader(http.StatusTemporaryRedirect)
	default:
		w.Header().Set("Etag", `"`+f.digest(name)+`"`)
		f.serveBytes(w, r, name)
	}
}

func (f *fake) serveListing(w http.ResponseWriter, r *http.Request, revision string) {
	if _, done := f.trouble(w, "listing"); done {
		return
	}
	if revision != "main" && revision != commitA {
		w.Header().Set("X-Error-Code", "RevisionNotFound")
		w.WriteHeader(http.StatusNotFound)
		return
	}
	var siblings []map[string]any
	for name, text := range f.files {
		s := map[string]any{"rfilename": name}
		if !f.bare && r.URL.Query().Get("blobs") == "true" {
			s["size"], s["blobId"] = len(text), strings.Repeat("1", 40)
			if f.large[name] {
				s["lfs"] = map[string]any{"sha256": f.digest(name), "size": len(text), "pointerSize": 130}
			} else {
				s["blobId"] = f.digest(name)
			}
		}
		siblings = append(siblings, s)
	}
	json.NewEncoder(w).Encode(map[string]any{"id": "org/net", "sha": commitA, "siblings": siblings})
}

func (f *fake) serveCDN(w http.ResponseWriter, r *http.Request) {
	f.note(r, "cdn")
	f.serveBytes(w, r, strings.TrimPrefix(r.URL.Path, "/"))
}

// serveBytes serves a file or a range of it, or a part of that.
func (f *fake) serveBytes(w http.ResponseWriter, r *http.Request, name string) {
	x, done := f.trouble(w, name)
	if done {
		return
	}
	text := f.files[name]
	if x.text != "" {
		text = x.text
	}
	if x.whole {
		r.Header.Del("Range")
	}
	c := &counted{ResponseWriter: w, limit: x.after}
	defer func() {
		f.mutex.Lock()
		f.served[name] += int64(c.n)
		f.mutex.Unlock()
		if c.cut && x.stall {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
		if c.cut {
			panic(http.ErrAbortHandler)
		}
	}()
	http.ServeContent(c, r, "", time.Time{}, bytes.NewReader([]byte(text)))
}

// counted counts what is written, and writes no more than it may.
type counted struct {
	http.ResponseWriter
	n, limit int
	cut      bool
}

func (c *counted) Write(p []byte) (int, error) {
	if c.limit > 0 && c.n+len(p) > c.limit {
		c.cut = true
		p = p[:c.limit-c.n]
	}
	n, err := c.ResponseWriter.Write(p)
	c.n += n
	if c.cut && err == nil {
		c.ResponseWriter.(http.Flusher).Flush()
		err = errors.New("cut")
	}
	return n, err
}

// sharded is a model in two files.
func sharded() map[string]string {
	return map[string]string{
		"config.json": config, "generation_config.json": `{}`, "tokenizer_config.json": `{}`, "README.md": "x", "tokenizer.json": "x", "onnx/model.safetensors": weightA,
		"model-00001-of-00002.safetensors": weightA, "model-00002-of-00002.safetensors": weightB,
		"model.safetensors.index.json": `{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}}`,
	}
}

// place is where a test downloads to.
type place struct{ hf, own string }

func newPlace(t *testing.T) place { return place{t.TempDir(), t.TempDir()} }

func (p place) env(f *fake, more ...string) func(string) string {
	return env(append(more, "HF_HUB_CACHE", p.hf, "VERIFIER_CACHE", p.own, "HF_ENDPOINT", f.hub.URL)...)
}

func TestAModelIsDownloadedWithoutItsWeights(t *testing.T) {
	f, p := newFake(t, sharded()), newPlace(t)
	var last Progress
	s, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f, "HF_TOKEN", secret), Progress: func(p Progress) { last = p }})
	if err != nil {
		t.Fatal(err)
	}
	if s.Kind != Config || s.Revision != commitA || s.ID() != "org/net" || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], p.own) {
		t.Errorf("%+v", s)
	}
	m, err := safetensors.ReadModel(s.FS(), s.Weights[0])
	if err != nil {
		t.Fatal(err)
	}
	if total, _ := importer.Sum(m.Tensors); total != (importer.Total{Tensors: 2, Elements: 5, Bytes: 20}) {
		t.Error(total)
	}
	for name, text := range map[string]string{"model-00001-of-00002.safetensors": weightA, "model-00002-of-00002.safetensors": weightB} {
		info, err := fs.Stat(s.FS(), name)
		if err != nil || info.Size() != int64(len(text)) {
			t.Errorf("%s: %v", name, err)
		}
		data := map[string]int{weightA: 8, weightB: 12}[text]
		if got := f.served[name]; got != int64(len(text)-data) {
			t.Errorf("%d bytes of %s were fetched; its header has %d", got, name, len(text)-data)
		}
		if _, err := fs.ReadFile(s.FS(), name); err == nil || !strings.Contains(err.Error(), "only the header was downloaded") {
			t.Error("weights that are not there are read as if they ended:", err)
		}
		if file, ok := s.file(name); !ok || !file.HeaderOnly {
			t.Errorf("%+v", file)
		}
	}
	if last.Done != last.Total || last.Total != 6 || last.Bytes == 0 {
		t.Errorf("%+v", last)
	}
	if len(f.leaks) > 0 {
		t.Error("the token went to another host for", f.leaks)
	}
	checkLayout(t, f, p)
}

// checkLayout demands the layout of Hugging Face's own cache, and no header in it.
func checkLayout(t *testing.T, f *fake, p place) {
	t.Helper()
	entry := filepath.Join(p.hf, "models--org--net")
	if ref, _ := os.ReadFile(filepath.Join(entry, "refs", "main")); string(ref) != commitA {
		t.Errorf("refs/main is %q", ref)
	}
	var names []string
	filepath.WalkDir(entry, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(filepath.Join(entry, "snapshots", commitA), path)
			if names = append(names, filepath.Base(rel)); d.Type()&fs.ModeSymlink != 0 {
				target, _ := os.Readlink(path)
				if want := "../../blobs/" + f.digest(filepath.ToSlash(rel)); target != want {
					t.Errorf("%s leads to %s, should lead to %s", rel, target, want)
				}
			}
		}
		return nil
	})
	slices.Sort(names)
	for _, n := range names {
		if strings.HasSuffix(n, ".safetensors") || strings.Contains(n, "incomplete") || n == "tokenizer.json" {
			t.Errorf("%s is in the cache", n)
		}
	}
	if !slices.Contains(names, "config.json") || !slices.Contains(names, "model.safetensors.index.json") {
		t.Error(names)
	}
	filepath.WalkDir(p.own, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			if _, err := safetensors.HeaderLength(data, "x"); err == nil {
				t.Errorf("%s could be taken for weights", path)
			}
		}
		return nil
	})
}

func TestWhatWasDownloadedIsFoundOfflineAndNotFetchedAgain(t *testing.T) {
	f, p := newFake(t, sharded()), newPlace(t)
	if _, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f)}); err != nil {
		t.Fatal(err)
	}
	asked := len(f.log)
	for _, opt := range []Options{{Getenv: p.env(f)}, {Getenv: p.env(f, "HF_HUB_OFFLINE", "1"), Download: true}} {
		for _, ref := range []string{"org/net", "org/net@" + commitA, filepath.Join(p.hf, "models--org--net", "snapshots", commitA)} {
			s, err := resolve(t, ref, opt)
			if err != nil {
				t.Fatal(err)
			}
			if m, err := safetensors.ReadModel(s.FS(), s.Weights[0]); err != nil || len(m.Tensors) != 2 {
				t.Error(ref, err)
			}
		}
	}
	if _, err := resolve(t, "org/net@"+commitA, Options{Download: true, Getenv: p.env(f)}); err != nil {
		t.Fatal(err)
	}
	if len(f.log) != asked {
		t.Error("asked again:", f.log[asked:])
	}
	if _, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f)}); err != nil {
		t.Fatal(err)
	}
	if len(f.log) != asked+1 {
		t.Error("only the commit of main is asked for again:", f.log[asked:])
	}
}

func TestAHubThatCannotBeReachedLeavesTheCache(t *testing.T) {
	f, p := newFake(t, sharded()), newPlace(t)
	if _, err := resolve(t, "org/other", Options{Download: true, Getenv: p.env(f, "HF_HUB_OFFLINE", "YES")}); err == nil || !strings.Contains(err.Error(), "while HF_HUB_OFFLINE is set") {
		t.Error(err)
	}
	if len(f.log) != 0 {
		t.Error("asked although offline")
	}
	s, err := fallBack(&Source{Revision: commitA}, errors.New("the hub cannot be reached"))
	if err != nil || !strings.Contains(s.Notes[0], "commit "+commitA+" of the cache was taken") {
		t.Error(err, s)
	}
}

// quick is a client that does not wait, and notes how long it would have.
func (f *fake) quick(t *testing.T, waits *[]time.Duration, pairs ...string) *client {
	c, err := newClient(environment(env(append(pairs, "HF_ENDPOINT", f.hub.URL)...)), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	c.sleep = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	return c
}

func TestWhatPassesIsTriedAgain(t *testing.T) {
	const shard = "model-00001-of-00002.safetensors"
	cases := []struct {
		name   string
		file   string
		faults []fault
		waits  string
	}{
		{"too many requests", "listing", []fault{{status: 429, header: map[string]string{"Retry-After": "7"}}}, "[7s]"},
		{"a date to wait for", "listing", []fault{{status: 429, header: map[string]string{"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}}}, "[1s]"},
		{"server errors", "listing", []fault{{status: 503}, {status: 500}, {status: 502}, {status: 504}}, "[1s 2s 4s 8s]"},
		{"server error for a header", shard, []fault{{status: 503}}, "[1s]"},
		{"cut within the length", shard, []fault{{after: 3}}, "[1s]"},
		{"cut within the header", shard, []fault{{}, {after: 10}, {after: 10}}, "[1s 1s]"},
		{"hanging", shard, []fault{{}, {after: 10, stall: true}}, "[1s]"},
		{"cut within a small file", "config.json", []fault{{after: 5}}, "[1s]"},
		{"ranges not heeded", shard, []fault{{whole: true}, {whole: true}}, "[]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f, p := newFake(t, sharded()), newPlace(t)
			f.faults[c.file] = c.faults
			waits := []time.Duration{}
			client := f.quick(t, &waits)
			if c.name == "hanging" {
				client.stall = time.Second
			}
			_, commit, err := downloadWith(t.Context(), client, id{"org", "net", "main"}, nil, p.hf, filepath.Join(p.own, "headers"))
			if err != nil || commit != commitA || fmt.Sprint(waits) != c.waits {
				t.Fatalf("%v after waiting %v, want %s", err, waits, c.waits)
			}
			s, err := openCached("org/net", id{"org", "net", "main"}, p.hf, Options{Getenv: p.env(f)})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			m, err := safetensors.ReadModel(s.FS(), s.Weights[0])
			if err != nil || len(m.Tensors) != 2 {
				t.Error(err)
			}
			if data, err := fs.ReadFile(s.FS(), "config.json"); err != nil || string(data) != config {
				t.Errorf("%q %v", data, err)
			}
		})
	}
}

func TestADownloadThatWasCutShortIsTakenUp(t *testing.T) {
	files := sharded()
	header := `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"x":"` + strings.Repeat("y", 5000) + `"}}`
	files["model-00001-of-00002.safetensors"] = st(header, 8)
	files["config.json"] = `{"model_type":"x","z":"` + strings.Repeat("z", 3000) + `"}`
	for _, name := range []string{"config.json", "model-00001-of-00002.safetensors"} {
		f, p := newFake(t, files), newPlace(t)
		gone := slices.Repeat([]fault{{status: 500}}, maxAttempts)
		if f.faults[name] = append([]fault{{after: 2000}}, gone[1:]...); f.large[name] {
			f.faults[name] = append([]fault{{}}, f.faults[name]...)
		}
		waits := []time.Duration{}
		c := f.quick(t, &waits)
		if _, _, err := downloadWith(t.Context(), c, id{"org", "net", "main"}, nil, p.hf, p.own); err == nil || !strings.Contains(err.Error(), "after 5 attempts") {
			t.Fatal(err)
		}
		f.log = nil
		if _, _, err := downloadWith(t.Context(), c, id{"org", "net", "main"}, nil, p.hf, p.own); err != nil {
			t.Fatal(err)
		}
		if log := strings.Join(f.log, "\n"); !strings.Contains(log, name+" bytes=2000-") && !strings.Contains(log, name+" bytes=2008-") {
			t.Errorf("%s begins again:\n%s", name, log)
		}
		left, _ := filepath.Glob(filepath.Join(p.own, "*", "*.partial"))
		if len(left) > 0 {
			t.Error("leaves", left)
		}
	}
}

func TestWhatTheHubRefusesIsExplained(t *testing.T) {
	cases := []struct {
		name string
		file string
		x    fault
		want string
	}{
		{"gated", "config.json", fault{status: 403, header: map[string]string{"X-Error-Code": "GatedRepo", "X-Error-Message": "Access is restricted\u009b31m"}}, "is gated: accept its terms"},
		{"revision", "listing", fault{status: 404, header: map[string]string{"X-Error-Code": "RevisionNotFound"}}, "has no such revision"},
		{"file", "config.json", fault{status: 404, header: map[string]string{"X-Error-Code": "EntryNotFound"}}, "has no such file"},
		{"credentials", "listing", fault{status: 401, header: map[string]string{"X-Error-Message": "Invalid credentials in Authorization header"}}, "does not accept the token"},
		{"model", "listing", fault{status: 401, header: map[string]string{"X-Error-Code": "RepoNotFound"}}, "is not on the hub, or is private"},
		{"disabled", "listing", fault{status: 403, header: map[string]string{"X-Error-Message": "Access to this resource is disabled."}}, "answers 403 (Access to this resource is disabled.)"},
		{"long wait", "listing", fault{status: 429, header: map[string]string{"Retry-After": "3600"}}, "asks to wait 1h0m0s"},
		{"range", "model-00001-of-00002.safetensors", fault{status: 416}, "answers 416"},
		{"compressed", "config.json", fault{header: map[string]string{"Content-Encoding": "gzip"}}, "comes compressed"},
		{"damaged", "config.json", fault{text: strings.Replace(config, "llama", "lLama", 1)}, "config.json is damaged"},
		{"other length", "config.json", fault{text: config + " "}, "bytes 0-58/60"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f, p := newFake(t, sharded()), newPlace(t)
			f.faults[c.file] = []fault{c.x}
			waits := []time.Duration{}
			_, _, err := downloadWith(t.Context(), f.quick(t, &waits, "HF_TOKEN", secret), id{"org", "net", "main"}, nil, p.hf, p.own)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsRune(err.Error(), 0x9b) {
				t.Fatalf("%v, want %s", err, c.want)
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "signed") {
				t.Error("the error holds a secret:", err)
			}
			if _, err := os.Stat(filepath.Join(p.hf, "models--org--net", "refs", "main")); err == nil {
				t.Error("main is noted although the download failed")
			}
		})
	}
}

func TestATokenOpensWhatIsPrivate(t *testing.T) {
	tokens := tree(t, map[string]string{"file": secret + "\n", "home/token": " " + secret, "bad": "xq yq"})
	for _, e := range [][]string{{"HF_TOKEN", secret}, {"HUGGING_FACE_HUB_TOKEN", secret}, {"HF_TOKEN_PATH", tokens + "/file"}, {"HF_HOME", tokens + "/home"}} {
		f, p := newFake(t, sharded()), newPlace(t)
		f.private = true
		if _, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f, e...)}); err != nil {
			t.Error(e[0], err)
		}
		if len(f.leaks) > 0 {
			t.Error("leaks to", f.leaks)
		}
	}
	f, p := newFake(t, sharded()), newPlace(t)
	f.private = true
	for _, e := range [][]string{{}, {"HF_TOKEN", "other"}, {"HF_TOKEN", secret, "HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"}} {
		if _, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f, e...)}); err == nil || !strings.Contains(err.Error(), "private") {
			t.Error(e, err)
		}
	}
	for _, e := range [][]string{{"HF_TOKEN", "a\x01b"}, {"HF_TOKEN_PATH", tokens + "/bad"}} {
		if _, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f, e...)}); err == nil || !strings.Contains(err.Error(), "is no token") || strings.Contains(err.Error(), "xq") {
			t.Error(e, err)
		}
	}
}

func TestTheTokenIsNotSentInTheClear(t *testing.T) {
	c := &client{token: secret, agent: "x"}
	seen := make(chan string, 1)
	c.http = &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		seen <- r.Header.Get("Authorization")
		return nil, errors.New("closed")
	})}
	for endpoint, want := range map[string]string{"http://mirror.example": "", "https://mirror.example": "Bearer " + secret, "http://localhost:1": "Bearer " + secret} {
		u, err := environment(env("HF_ENDPOINT", endpoint)).endpoint()
		if err != nil {
			t.Fatal(err)
		}
		c.endpoint = u
		if _, err := c.send(t.Context(), "GET", u, ""); err == nil || strings.Contains(err.Error(), "://") {
			t.Error(err)
		}
		if got := <-seen; got != want {
			t.Errorf("%s: %q", endpoint, got)
		}
	}
	for _, bad := range []string{"ftp://x", "huggingface.co", "https://user:pass@x", "https://x?y", ":"} {
		if _, err := environment(env("HF_ENDPOINT", bad)).endpoint(); err == nil {
			t.Error(bad)
		}
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func TestAListingWithoutDigestsIsCompletedByAskingForEachFile(t *testing.T) {
	f, p := newFake(t, sharded()), newPlace(t)
	f.bare = true
	s, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f)})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := safetensors.ReadModel(s.FS(), s.Weights[0]); err != nil || len(m.Tensors) != 2 {
		t.Error(err)
	}
	if log := strings.Join(f.log, "\n"); !strings.Contains(log, "hub HEAD /org/net/resolve/"+commitA+"/config.json") || strings.Contains(log, "cdn HEAD") {
		t.Error(log)
	}
}

func TestOtherModelsOfTheHub(t *testing.T) {
	cases := []struct {
		name  string
		files map[string]string
		kind  Kind
		want  string
	}{
		{"one file", map[string]string{"config.json": config, "model.safetensors": weightA}, Config, ""},
		{"weights alone", map[string]string{"model.safetensors": weightA}, Safetensors, ""},
		{"pickles", map[string]string{"config.json": config, "pytorch_model.bin": "x"}, Config, ""},
		{"gguf alone", map[string]string{"m.gguf": "x"}, "", "neither config.json nor safetensors"},
		{"missing file", map[string]string{"config.json": config, "model.safetensors.index.json": `{"weight_map":{"a":"x.safetensors"}}`}, "", "lacks x.safetensors"},
		{"index that leads out", map[string]string{"config.json": config, "model.safetensors.index.json": `{"weight_map":{"a":"../x.safetensors"}}`}, "", "no file of this folder"},
		{"broken header", map[string]string{"config.json": config, "model.safetensors": weightA + "x"}, "", "the tensors end at byte 8"},
		{"huge header", map[string]string{"config.json": config, "model.safetensors": "\xff\xff\xff\xff\xff\xff\xff\xff"}, "", "the format allows 100000000"},
		{"tiny file", map[string]string{"config.json": config, "model.safetensors": "x"}, "", "ends within its first 8 bytes"},
		{"header beyond the file", map[string]string{"config.json": config, "model.safetensors": "\xff\x00\x00\x00\x00\x00\x00\x00{}"}, "", "longer than the file"},
		{"empty", map[string]string{"config.json": ""}, Config, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f, p := newFake(t, c.files), newPlace(t)
			s, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f)})
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
				return
			}
			if err != nil || s.Kind != c.kind {
				t.Fatalf("%v %v", s, err)
			}
		})
	}
}

func TestADownloadCanBeStopped(t *testing.T) {
	f, p := newFake(t, sharded()), newPlace(t)
	f.faults["config.json"] = []fault{{after: 5, stall: true}}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Resolve(ctx, "org/net", Options{Download: true, Getenv: p.env(f), Progress: func(Progress) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAChangedHeaderIsNoticed(t *testing.T) {
	f, p := newFake(t, sharded()), newPlace(t)
	if _, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f)}); err != nil {
		t.Fatal(err)
	}
	kept, _ := filepath.Glob(filepath.Join(p.own, "*", "*", "*", "*"+headerEnding))
	if len(kept) != 2 {
		t.Fatal(kept)
	}
	data, _ := os.ReadFile(kept[0])
	data[len(data)-3] ^= 1
	os.WriteFile(kept[0], data, 0o644)
	if _, err := resolve(t, "org/net", Options{Getenv: p.env(f)}); err == nil || !strings.Contains(err.Error(), "was changed since it was downloaded") {
		t.Error(err)
	}
	if _, err := resolve(t, "org/net", Options{Download: true, Getenv: p.env(f)}); err != nil {
		t.Error("is not downloaded again:", err)
	}
}

func FuzzListing(f *testing.F) {
	f.Add([]byte(`{"sha":"` + commitA + `","siblings":[{"rfilename":"config.json","size":3,"blobId":"x","lfs":{"sha256":"y","size":4}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseListing(data)
		if err != nil {
			return
		}
		if !isCommit(l.commit) {
			t.Fatal(l.commit)
		}
		for _, x := range l.files {
			if x.digest != "" && (!isDigest(x.digest) || x.bytes < 0) {
				t.Fatalf("%+v", x)
			}
		}
		l.want()
	})
}
