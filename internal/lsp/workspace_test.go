package lsp

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelverifier/verifier/internal/policy"
)

// judgedBy has every document judged by one function until the test ends.
func judgedBy(t *testing.T, look func(d *document)) {
	t.Helper()
	was := slices.Clone(kinds)
	kinds = kinds[:1:1]
	kinds[0].is = func(string, string) bool { return true }
	kinds[0].look = func(d *document, _ *repository, _ string, _ *analysis) { look(d) }
	t.Cleanup(func() { kinds = was })
}

// TestOneVersionIsLookedAtAtATime types on while the first version is looked at, which nothing can stop.
func TestOneVersionIsLookedAtAtATime(t *testing.T) {
	entered, release := make(chan int, 100), make(chan struct{})
	var running atomic.Int32
	judgedBy(t, func(d *document) {
		if running.Add(1) > 1 {
			t.Error("two versions are looked at")
		}
		entered <- d.version
		<-release
		running.Add(-1)
	})
	w := newWorkspace(context.Background(), policy.Names{}, func(publishDiagnosticsParams) {})
	uri := uriOf(filepath.Join(files(t, map[string]string{}), "a.graph"))
	w.open(textDocument{URI: uri, Version: 1, Text: "1"})
	if got := <-entered; got != 1 {
		t.Errorf("version %d is looked at first", got)
	}
	for version := 2; version <= 50; version++ {
		p := &didChangeParams{TextDocument: textDocument{URI: uri, Version: version}, ContentChanges: []contentChange{{Text: "2"}}}
		if err := w.change(p); err != nil {
			t.Fatal(err)
		}
	}
	asked := make(chan *document)
	go func() {
		d, err := w.analysed(context.Background(), uri)
		if err != nil {
			t.Error(err)
		}
		asked <- d
	}()
	close(release)
	if d := <-asked; d.version != 50 || d.result == nil {
		t.Errorf("a request is answered with version %d", d.version)
	}
	w.close()
	close(entered)
	for version := range entered {
		if version != 50 {
			t.Errorf("version %d was looked at, which was replaced before", version)
		}
	}
}

// TestARequestWaitsForTheNewestVersion asks for a version that is replaced before anything is found in it.
func TestARequestWaitsForTheNewestVersion(t *testing.T) {
	entered, release := make(chan struct{}, 2), make(chan struct{})
	judgedBy(t, func(*document) {
		entered <- struct{}{}
		<-release
	})
	w := newWorkspace(context.Background(), policy.Names{}, func(publishDiagnosticsParams) {})
	uri := uriOf(filepath.Join(files(t, map[string]string{}), "a.graph"))
	w.open(textDocument{URI: uri, Version: 1, Text: "1"})
	<-entered
	first := w.current(uri)
	w.open(textDocument{URI: uri, Version: 2, Text: "2"})
	close(release)
	<-first.done
	d, err := w.analysed(context.Background(), uri)
	if err != nil || d.version != 2 {
		t.Errorf("a request is answered with %+v, %v", d, err)
	}
	w.close()
}

// TestAClosedFileKeepsNoDiagnostics closes a document while its diagnostics are on their way to the editor.
func TestAClosedFileKeepsNoDiagnostics(t *testing.T) {
	judgedBy(t, func(*document) {})
	uri := uriOf(filepath.Join(files(t, map[string]string{}), "a.graph"))
	var w *workspace
	var mu sync.Mutex
	var told []string
	onTheWay := make(chan struct{})
	var first atomic.Bool
	w = newWorkspace(context.Background(), policy.Names{}, func(publishDiagnosticsParams) {
		what := "empty"
		if first.CompareAndSwap(false, true) {
			d := w.current(uri)
			what = "found"
			close(onTheWay)
			<-d.ctx.Done() // it is being closed
			for range 10_000 {
				runtime.Gosched() // and would be told so by now, if nothing held that back
			}
		}
		mu.Lock()
		defer mu.Unlock()
		told = append(told, what)
	})
	w.open(textDocument{URI: uri, Version: 1, Text: "1"})
	<-onTheWay
	w.shut(uri)
	w.close()
	if !slices.Equal(told, []string{"found", "empty"}) {
		t.Errorf("the editor was told %v", told)
	}
}
