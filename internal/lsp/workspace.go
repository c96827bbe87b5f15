package lsp

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/policy"
)

// workspace is the documents that an editor has open.
type workspace struct {
	ctx     context.Context // of the server
	names   policy.Names
	publish func(publishDiagnosticsParams)

	mu   sync.Mutex
	docs map[string]*document // by URI
	work sync.WaitGroup

	telling sync.Mutex // held while it is asked whether a version is current, and said what was found in it
}

func newWorkspace(ctx context.Context, names policy.Names, publish func(publishDiagnosticsParams)) *workspace {
	return &workspace{ctx: ctx, names: names, publish: publish, docs: map[string]*document{}}
}

// document is one version of a text. Another version is another document.
type document struct {
	uri     string
	path    string // absolute, behind links; "" for what is no file
	version int
	text    *text

	ctx    context.Context // until there is another version
	cancel context.CancelFunc
	turn   chan struct{} // of the document: full while one of its versions is looked at
	done   chan struct{} // closed when result is there
	result *analysis
	before *analysis // of the last version that could be parsed; nil for none
}

// open takes a document from the editor.
func (w *workspace) open(d textDocument) { w.put(d.URI, d.Version, newText(d.Text)) }

// change takes what an editor changed, one behind the other. Where it cannot be followed the document is as it was, and the error says why.
func (w *workspace) change(p *didChangeParams) error {
	was := w.current(p.TextDocument.URI)
	if was == nil {
		return fmt.Errorf("%s changed but is not open", p.TextDocument.URI)
	}
	now, err := was.text.changed(p.ContentChanges)
	if err != nil {
		return fmt.Errorf("%s: %w", p.TextDocument.URI, err)
	}
	w.put(p.TextDocument.URI, p.TextDocument.Version, now)
	return nil
}

// shut forgets a document. Its diagnostics go with it.
func (w *workspace) shut(uri string) {
	w.mu.Lock()
	d := w.docs[uri]
	delete(w.docs, uri)
	w.mu.Unlock()
	if d == nil {
		return
	}
	d.cancel()
	w.telling.Lock()
	w.publish(publishDiagnosticsParams{URI: uri, Version: d.version, Diagnostics: []diagnostic{}})
	w.telling.Unlock()
	w.again(d.path)
}

// put makes a new version of a document current, and has it looked at. So have those that import it.
func (w *workspace) put(uri string, version int, t *text) {
	d := w.replace(uri, version, t)
	w.look(d)
	w.again(d.path)
}

// replace puts a version in the place of the one before.
func (w *workspace) replace(uri string, version int, t *text) *document {
	d := &document{uri: uri, path: pathOf(uri), version: version, text: t, turn: make(chan struct{}, 1), done: make(chan struct{})}
	d.ctx, d.cancel = context.WithCancel(w.ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if was := w.docs[uri]; was != nil {
		d.turn, d.before = was.turn, was.last()
		was.cancel()
	}
	w.docs[uri] = d
	return d
}

// last is the newest analysis of a text that could be parsed.
func (d *document) last() *analysis {
	select {
	case <-d.done:
		if !d.result.unparsed {
			return d.result
		}
	default:
	}
	return d.before
}

// again has those documents looked at that read another file, which has changed.
func (w *workspace) again(path string) {
	if path == "" {
		return
	}
	w.mu.Lock()
	var stale []*document
	for _, d := range w.docs {
		select {
		case <-d.done:
			if d.path != path && d.result.read[path] {
				stale = append(stale, d)
			}
		default: // it is being looked at, with the texts as they were
			if d.path != path {
				stale = append(stale, d)
			}
		}
	}
	w.mu.Unlock()
	for _, d := range stale {
		w.look(w.replace(d.uri, d.version, d.text))
	}
}

// look analyses a document beside the loop, and tells the editor, unless there is a newer version by then.
func (w *workspace) look(d *document) {
	texts := w.texts()
	w.work.Go(func() {
		d.result = w.judge(d, texts)
		close(d.done)
		w.telling.Lock()
		defer w.telling.Unlock()
		if d.ctx.Err() == nil {
			w.publish(publishDiagnosticsParams{URI: d.uri, Version: d.version, Diagnostics: d.result.diagnostics})
		}
	})
}

// judge analyses a version as soon as no other of its document is looked at: not every step of an analysis can be stopped, and one types
// faster than a large file is read. Of a version that has been replaced by then nothing is found.
func (w *workspace) judge(d *document, texts map[string]string) *analysis {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-d.ctx.Done():
	}
	if d.ctx.Err() != nil {
		return &analysis{unparsed: true, text: d.text}
	}
	return analyse(d, texts, w.names)
}

// texts are the open documents by their paths.
func (w *workspace) texts() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[string]string, len(w.docs))
	for _, d := range w.docs {
		if d.path != "" {
			out[d.path] = d.text.data
		}
	}
	return out
}

// analysed is the current version of a document with what was found in it. It waits for that, and where the document changes meanwhile, for
// what is found in its next version.
func (w *workspace) analysed(ctx context.Context, uri string) (*document, error) {
	for {
		d := w.current(uri)
		if d == nil {
			return nil, &rpcError{codeInvalidParams, uri + " is not open"}
		}
		select {
		case <-d.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if d.ctx.Err() == nil || w.current(uri) == d {
			return d, nil
		}
	}
}

// current is the newest version of a document; nil where it is not open.
func (w *workspace) current(uri string) *document {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.docs[uri]
}

func (w *workspace) close() {
	w.mu.Lock()
	for _, d := range w.docs {
		d.cancel()
	}
	w.mu.Unlock()
	w.work.Wait()
}

// pathOf is the file of a URI, "" where it is none. Links are followed as far as the file is there.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	name := u.Path
	if runtime.GOOS == "windows" {
		name = strings.TrimPrefix(name, "/")
	}
	name = filepath.Clean(filepath.FromSlash(name))
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil { // not saved yet
		return filepath.Join(dir, filepath.Base(name))
	}
	return name
}

// uriOf is the URI of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
