package blob

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/blob/s3test"
)

// serving opens a folder whose links lead to a server of the test's own, with a clock that the test moves.
func serving(t *testing.T) (b *Bucket, now *time.Time) {
	t.Helper()
	at := time.Now()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	b, err := Open(t.Context(), t.TempDir(), Signer{Secret: signer.Secret, Base: server.URL, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	handler = b.Handler()
	return b, &at
}

func fetch(t *testing.T, method, address string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func linked(t *testing.T, b *Bucket, key string) string {
	t.Helper()
	link, err := b.Link(t.Context(), key, 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

func TestALinkIsForItsObjectAndTenMinutes(t *testing.T) {
	b, now := serving(t)
	put(t, b, "org/jobs/a/model.onnx", []byte("weights"))
	link := linked(t, b, "org/jobs/a/model.onnx")
	answer, body := fetch(t, "GET", link)
	if answer.StatusCode != 200 || body != "weights" {
		t.Fatal(answer.Status, body)
	}
	for name, want := range map[string]string{"Content-Type": "application/octet-stream", "Content-Disposition": `attachment; filename="model.onnx"`,
		"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store", "Content-Length": "7", "Referrer-Policy": "no-referrer"} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if answer, body := fetch(t, "GET", link, "Range", "bytes=3-4"); answer.StatusCode != 206 || body != "gh" {
		t.Error("a download cannot be resumed: ", answer.Status, body)
	}
	*now = now.Add(10*time.Minute - 2*time.Second)
	if answer, _ := fetch(t, "GET", link); answer.StatusCode != 200 {
		t.Error(answer.Status)
	}
	*now = now.Add(2 * time.Second)
	if answer, body := fetch(t, "GET", link); answer.StatusCode != 403 || !strings.Contains(body, "expired") {
		t.Error(answer.Status, body)
	}
	link = linked(t, b, "org/jobs/a/model.onnx")
	if err := b.Delete(t.Context(), "org/jobs/a/model.onnx"); err != nil {
		t.Fatal(err)
	}
	if answer, _ := fetch(t, "GET", link); answer.StatusCode != 404 {
		t.Error(answer.Status)
	}
}

// TestNoOtherLinkCanBeMadeOfOne changes every part of a link, and every character of it.
func TestNoOtherLinkCanBeMadeOfOne(t *testing.T) {
	b, now := serving(t)
	for _, key := range []string{"org/jobs/a/model.onnx", "org/jobs/b/model.onnx", "other/jobs/a/model.onnx"} {
		put(t, b, key, []byte("weights"))
	}
	link := linked(t, b, "org/jobs/a/model.onnx")
	*now = now.Add(time.Minute)
	later := linked(t, b, "org/jobs/a/model.onnx")
	if link == later {
		t.Fatal("the time is not in the link")
	}
	parsed, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	expires, signature := parsed.Query().Get(expiresParam), parsed.Query().Get(signatureParam)
	further, err := strconv.ParseInt(expires, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	laterURL, err := url.Parse(later)
	if err != nil {
		t.Fatal(err)
	}
	tampered := []string{
		strings.Replace(link, "/a/", "/b/", 1),       // another object
		strings.Replace(link, "/org/", "/other/", 1), // another owner
		strings.Replace(link, expires, strconv.FormatInt(further+600, 10), 1),
		strings.Replace(link, expires, "+"+expires, 1), strings.Replace(link, expires, "0"+expires, 1), strings.Replace(link, expires, "", 1),
		strings.Replace(link, expires, laterURL.Query().Get(expiresParam), 1), // the time of one and the signature of the other
		strings.Replace(link, signature, "", 1), strings.Replace(link, signature, signature[:20], 1), strings.Replace(link, signature, signature+"A", 1),
		link + "&expires=" + strconv.FormatInt(further+600, 10), link + "&signature=" + signature, link + "&other=1",
		strings.Split(link, "?")[0], strings.Split(link, "&")[0],
		strings.Replace(link, "model.onnx", "x/../model.onnx", 1), strings.Replace(link, "/a/", "//a/", 1),
	}
	for _, bad := range tampered {
		if answer, body := fetch(t, "GET", bad); answer.StatusCode != 403 {
			t.Errorf("%s: %s %s", bad, answer.Status, body)
		}
	}
	for i := len(b.signer.Base) + len(Prefix); i < len(link); i++ { // every character, changed by one
		if strings.ContainsRune("/?&=", rune(link[i])) {
			continue
		}
		changed := link[:i] + string(link[i]^1) + link[i+1:]
		if answer, _ := fetch(t, "GET", changed); answer.StatusCode == 200 {
			t.Errorf("%s is served", changed)
		}
	}
	for _, method := range []string{"HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"} {
		if answer, _ := fetch(t, method, link); answer.StatusCode != 405 {
			t.Errorf("%s: %s", method, answer.Status)
		}
	}
	other := Signer{Secret: make([]byte, 32), Base: b.signer.Base, Now: b.signer.Now}
	if answer, _ := fetch(t, "GET", other.link("GET", "org/jobs/a/model.onnx", time.Minute)); answer.StatusCode != 403 {
		t.Error("a link of another secret is served")
	}
	if answer, _ := fetch(t, "GET", link); answer.StatusCode != 200 {
		t.Error("the link itself is not served any more")
	}
}

// TestTheMethodIsSigned: a signature for another method opens nothing, should a link for writing ever be made.
func TestTheMethodIsSigned(t *testing.T) {
	b, _ := serving(t)
	put(t, b, "a", []byte("x"))
	if answer, _ := fetch(t, "GET", b.signer.link("PUT", "a", time.Minute)); answer.StatusCode != 403 {
		t.Error(answer.Status)
	}
}

func TestALinkToS3IsForItsObject(t *testing.T) {
	s := s3test.Start(t, t.TempDir())
	b := open(t, s.Address())
	if b.Handler() != nil {
		t.Error("S3 serves its links itself")
	}
	for _, key := range []string{"org/jobs/a/model.onnx", "org/jobs/b/model.onnx"} {
		put(t, b, key, []byte("weights"))
	}
	link := linked(t, b, "org/jobs/a/model.onnx")
	answer, body := fetch(t, "GET", link)
	if answer.StatusCode != 200 || body != "weights" || answer.Header.Get("Content-Disposition") != `attachment; filename="model.onnx"` ||
		answer.Header.Get("Content-Type") != binary || answer.Header.Get("Cache-Control") != uncached {
		t.Error(answer.Status, body, answer.Header)
	}
	if !strings.Contains(link, "X-Amz-Expires=600") {
		t.Error("it does not last ten minutes: ", link)
	}
	for _, bad := range []string{strings.Replace(link, "/a/", "/b/", 1), strings.Replace(link, "X-Amz-Expires=600", "X-Amz-Expires=6000", 1), strings.Split(link, "?")[0],
		strings.Replace(link, "attachment", "inline", 1)} {
		if answer, body := fetch(t, "GET", bad); answer.StatusCode != 403 {
			t.Errorf("%s: %s %s", bad, answer.Status, body)
		}
	}
	for _, method := range []string{"PUT", "DELETE"} {
		if answer, _ := fetch(t, method, link); answer.StatusCode != 403 {
			t.Errorf("%s: %s", method, answer.Status)
		}
	}
	brief, err := b.Link(t.Context(), "org/jobs/a/model.onnx", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		answer, _ := fetch(t, "GET", brief)
		if answer.StatusCode == 403 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a link does not end: ", answer.Status)
		}
	}
}
