package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestTheAppIsServedOnAFreePort until the context ends.
func TestTheAppIsServedOnAFreePort(t *testing.T) {
	was, had := App, HasEngine
	defer func() { App, HasEngine = was, had }()
	App = func() http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the app") })
	}
	HasEngine = func() bool { return false }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, w := io.Pipe()
	root := Root()
	root.SetArgs([]string{"app"})
	root.SetOut(w)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx); _ = w.Close() }()
	text := make([]byte, 1000)
	n, err := r.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text[:n]), "The app is at ")
	url, rest, _ := strings.Cut(rest, "\n")
	if !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.Contains(rest, "make build adds it") {
		t.Fatalf("it says %q", text[:n])
	}
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "the app" {
		t.Errorf("%s answers %q, %v", url, body, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestAProgramWithoutTheAppSaysSo(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Main([]string{"app"}, strings.NewReader(""), &out, &errs); code == exitClean || !strings.Contains(errs.String(), "without the app") {
		t.Errorf("it ends with %d and says %s", code, &errs)
	}
}
