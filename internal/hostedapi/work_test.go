package hostedapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/jobs"
)

// TestKeysAndTokensOpenOnlyTheirOwnDoors tries a key where workers go, and a worker's token everywhere else.
func TestKeysAndTokensOpenOnlyTheirOwnDoors(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, training(t))
		o := s.tenant(t, "Alpha")
		const offer = `"cpu":true`
		w := s.trainer(t, "one", offer)
		id := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
		l := w.take(t, offer)
		calls := []struct{ method, path, body string }{
			{"POST", "lease", `{"cpu":true}`}, {"POST", "jobs/" + id + "/heartbeat", `{"lease":"` + l.lease + `"}`}, {"POST", "jobs/" + id + "/epochs", `{"lease":"` + l.lease + `","epochs":[]}`},
			{"POST", "jobs/" + id + "/finish", `{"lease":"` + l.lease + `","status":"error"}`}, {"PUT", "jobs/" + id + "/model?lease=" + l.lease, "x"},
			{"PUT", "jobs/" + id + "/checkpoint?epoch=1&lease=" + l.lease, "x"}, {"GET", "jobs/" + id + "/checkpoint?lease=" + l.lease, ""},
		}
		for _, c := range calls {
			for name, key := range map[string]string{"no token": "", "a key": o.key, "a wrong token": "mvw_" + strings.Repeat("A", 43), "a wrong token of a job": "mvj_" + strings.Repeat("A", 43), "another word": "hello"} {
				got := s.call(t, c.method, "/api/worker/v1/"+c.path, key, c.body)
				if got.status != 401 || got.json(t, "code") != "unauthorized" || got.header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s %s with %s: %d %s", c.method, c.path, name, got.status, got.body)
				}
			}
		}
		for _, path := range []string{"POST /api/v1/check", "POST /api/v1/train", "GET /api/v1/train", "GET /api/v1/train?job=" + id, "DELETE /api/v1/train?job=" + id, "GET /api/v1/history?fingerprint=0123abcd", "POST /api/v1/plan"} {
			method, path, _ := strings.Cut(path, " ")
			if got := s.call(t, method, path, w.token, request("", 3)); got.status != 401 {
				t.Errorf("%s %s with a worker's token: %d %s", method, path, got.status, got.body)
			}
		}
		if err := s.jobs.RevokeWorker(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
		if got := l.say(t, "heartbeat", ""); got.status != 401 {
			t.Errorf("a revoked worker: %d %s", got.status, got.body)
		}
	})
}

func TestAWorkerThatIsWrongIsToldWhatIsWrong(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, training(t))
		o := s.tenant(t, "Alpha")
		const offer = `"cpu":true`
		w, other := s.trainer(t, "one", offer), s.trainer(t, "two", `"cpu":false`)
		good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(`,"config":{"epochs":2}`)))
		l := w.take(t, offer)
		thief, stale := l, l
		thief.w, stale.lease = other, "aaaaaaaaaaaaaaaaaaaaaaaaaa"
		for name, l := range map[string]leased{"another worker": thief, "another lease": stale, "no job": {w, "aaaaaaaaaaaaaaaaaaaaaaaaaa", l.lease, ""}} {
			for _, got := range []answer{l.say(t, "heartbeat", ""), l.say(t, "epochs", `,"epochs":[]`), l.say(t, "finish", `,"status":"completed"`), l.put(t, "model", "x"), l.put(t, "checkpoint?epoch=1", "x"),
				s.call(t, "GET", "/api/worker/v1/jobs/"+l.job+"/checkpoint?lease="+l.lease, l.w.token, "")} {
				if got.status != 409 || got.json(t, "code") != "lease_lost" {
					t.Errorf("%s: %d %s", name, got.status, got.body)
				}
			}
		}
		const row = `{"epoch":1,"trainLoss":0.7,"valLoss":0.6,"valAcc":0.5}`
		for members, status := range map[string]int{
			`,"epochs":[` + strings.Replace(row, "0.7", "null", 1) + `]`: 422, `,"epochs":[` + strings.Replace(row, "0.7", `"NaN"`, 1) + `]`: 422, `,"epochs":[` + strings.Replace(row, "0.7", "NaN", 1) + `]`: 400,
			`,"epochs":[` + strings.Replace(row, "0.7", "1e999", 1) + `]`: 422, `,"epochs":[` + strings.Replace(row, "0.5", "1.5", 1) + `]`: 422, `,"epochs":[{"epoch":1}]`: 422,
			`,"epochs":[` + strings.Replace(row, `"epoch":1`, `"epoch":2`, 1) + `]`: 422, `,"epochs":[` + strings.Replace(row, `"epoch":1`, `"epoch":3`, 1) + `]`: 422, `,"epochs":7`: 422, `,`: 400,
			`,"more":"` + strings.Repeat("x", 1<<20) + `"`: 413,
		} {
			if got := l.say(t, "epochs", members); got.status != status || got.json(t, "code") == nil {
				t.Errorf("%.80s: %d %.200s, want %d", members, got.status, got.body, status)
			}
		}
		for name, c := range map[string]struct {
			got    answer
			status int
			code   string
		}{
			"no digest":         {l.put(t, "model", "x", "X", "y"), 400, "missing-field"},
			"a malformed one":   {l.put(t, "model", "x", "Digest", "sha-256=abc"), 422, "malformed-value"},
			"another one":       {l.put(t, "model", "x", "Digest", "sha-256="+strings.Repeat("0", 64)), 422, "digest_mismatch"},
			"of a checkpoint":   {l.put(t, "checkpoint?epoch=1", "x", "Digest", "sha-256="+strings.Repeat("0", 64)), 422, "digest_mismatch"},
			"no epoch":          {l.put(t, "checkpoint", "x"), 422, "malformed-value"},
			"an epoch too many": {l.put(t, "checkpoint?epoch=3", "x"), 422, "out-of-range"},
			"no checkpoint":     {s.call(t, "GET", "/api/worker/v1/jobs/"+l.job+"/checkpoint?lease="+l.lease, w.token, ""), 404, "not-found"},
			"a simulation":      {w.lease(t, `"simulate":true`), 403, "simulation_not_allowed"},
			"another path":      {s.call(t, "POST", "/api/worker/v1/jobs", w.token, "{}"), 404, "not-found"},
			"another method":    {s.call(t, "GET", "/api/worker/v1/lease", w.token, ""), 404, "not-found"},
			"no weights":        {l.say(t, "finish", `,"status":"completed","modelTrained":true,"modelSha256":"`+strings.Repeat("0", 64)+`"`), 422, "unknown-value"},
			"another status":    {l.say(t, "finish", `,"status":"fine"`), 422, ""},
		} {
			if code, _ := c.got.json(t, "code").(string); c.got.status != c.status || c.code != "" && code != c.code {
				t.Errorf("%s: %d %s, want %d %s", name, c.got.status, c.got.body, c.status, c.code)
			}
		}
		if got := good(t, l.say(t, "heartbeat", "")); got.json(t, "cancel") != false {
			t.Errorf("what was refused ended the lease: %s", got.body)
		}
	})
}

func TestAJobThatIsGivenBackIsQueuedAgain(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t))
	o := s.tenant(t, "Alpha")
	const offer = `"cpu":true`
	w := s.trainer(t, "one", offer)
	id := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
	l := w.take(t, offer)
	good(t, l.say(t, "epochs", `,"epochs":[{"epoch":1,"trainLoss":0.7,"valLoss":0.6,"valAcc":0.5}]`))
	if got := good(t, l.say(t, "release", "")); got.body != "{}\n" {
		t.Errorf("%s", got.body)
	}
	if got := good(t, s.call(t, "GET", "/api/v1/train?job="+id, o.key, "")); got.json(t, "status") != "queued" || !strings.Contains(got.body, `"epochs":[{"epoch":1,`) {
		t.Errorf("%s", got.body)
	}
	if got := l.say(t, "heartbeat", ""); got.status != 409 {
		t.Errorf("its lease still holds: %d %s", got.status, got.body)
	}
	if again := w.take(t, offer); again.job != id || again.lease == l.lease {
		t.Errorf("%+v", again)
	}
}

// TestNothingIsLeftOfAnUploadThatIsCut sends half of a model and leaves, and announces more than may be sent.
func TestNothingIsLeftOfAnUploadThatIsCut(t *testing.T) {
	folder := t.TempDir()
	s := start(t, accounttest.SQLite(t), training(t, func(j *jobs.Service) {
		bucket, err := blob.Open(t.Context(), folder, blob.Signer{Secret: []byte(strings.Repeat("s", 32)), Base: j.Server})
		if err != nil {
			t.Fatal(err)
		}
		j.Blobs = bucket
	}))
	o := s.tenant(t, "Alpha")
	const offer = `"cpu":true`
	w := s.trainer(t, "one", offer)
	good(t, s.call(t, "POST", "/api/v1/train", o.key, submission("")))
	l := w.take(t, offer)
	sum := sha256.Sum256([]byte(strings.Repeat("x", 1<<20)))
	head := func(bytes int64) string {
		return fmt.Sprintf("PUT /api/worker/v1/jobs/%s/model?lease=%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nDigest: sha-256=%s\r\nContent-Length: %d\r\n\r\n",
			l.job, l.lease, w.token, hex.EncodeToString(sum[:]), bytes)
	}
	dial := func(text string) net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err == nil {
			_, err = io.WriteString(c, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	_ = dial(head(1<<20) + strings.Repeat("x", 1<<19)).Close()
	c := dial(head(5 << 30))
	answer := make([]byte, 512)
	if n, _ := c.Read(answer); !strings.Contains(string(answer[:n]), " 413 ") {
		t.Errorf("5 GiB: %s", answer[:n])
	}
	_ = c.Close()
	files := func() (n int) {
		_ = filepath.WalkDir(folder, func(_ string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				n++
			}
			return nil
		})
		return n
	}
	for end := time.Now().Add(10 * time.Second); files() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d files are left", files())
		}
	}
	good(t, l.put(t, "model", strings.Repeat("x", 1<<20)))
	if files() != 1 {
		t.Errorf("%d files behind a whole upload", files())
	}
}

// slowly makes a pause behind each MiB.
type slowly struct {
	io.Reader
	read int
}

func (s *slowly) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if before := s.read; (before+n)>>20 > before>>20 {
		time.Sleep(60 * time.Millisecond)
	}
	s.read += n
	return n, err
}

// TestLongTransfersAreNotCut moves a model and a checkpoint that take longer than a caller's whole request may.
func TestLongTransfersAreNotCut(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t), func(c *hostedapi.Config) {
		c.Limits.Read, c.Limits.Write, c.Limits.BodyWait = 400*time.Millisecond, 400*time.Millisecond, 400*time.Millisecond
	})
	o := s.tenant(t, "Alpha")
	const offer = `"cpu":true`
	w := s.trainer(t, "one", offer)
	id := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
	l := w.take(t, offer)
	content := strings.Repeat("0123456789abcdef", 2<<20) // more than sockets hold
	sum := sha256.Sum256([]byte(content))
	sha := hex.EncodeToString(sum[:])
	move := func(method, path, token string, body io.Reader) string {
		t.Helper()
		r, err := http.NewRequest(method, path, body)
		if err != nil {
			t.Fatal(err)
		}
		if body != nil {
			r.ContentLength = int64(len(content))
			r.Header.Set("Digest", "sha-256="+sha)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(&slowly{Reader: resp.Body})
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %d, %d bytes, %v", method, path, resp.StatusCode, len(got), err)
		}
		return string(got)
	}
	at := s.url + "/api/worker/v1/jobs/" + id + "/"
	move("PUT", at+"checkpoint?epoch=1&lease="+l.lease, w.token, &slowly{Reader: strings.NewReader(content)})
	if move("GET", at+"checkpoint?lease="+l.lease, w.token, nil) != content {
		t.Error("the checkpoint came back as something else")
	}
	move("PUT", at+"model?lease="+l.lease, w.token, &slowly{Reader: strings.NewReader(content)})
	good(t, l.say(t, "epochs", epochs(1, l.epochs(t), `"trainLoss":0.5,"valLoss":0.4,"valAcc":0.9`)))
	good(t, l.say(t, "finish", `,"status":"completed","modelTrained":true,"modelFormat":"onnx","modelSha256":"`+sha+`"`))
	if move("GET", good(t, s.call(t, "GET", "/api/v1/train?job="+id, o.key, "")).json(t, "model_url").(string), "", nil) != content {
		t.Error("the weights came back as something else")
	}
}

// TestCallersAndWorkersDoNotStarveEachOther fills the places of one and calls as the other.
func TestCallersAndWorkersDoNotStarveEachOther(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t), func(c *hostedapi.Config) { c.Limits.Requests = 2 })
	o := s.tenant(t, "Alpha")
	const offer = `"cpu":true`
	w := s.trainer(t, "one", offer)
	good(t, s.call(t, "POST", "/api/v1/train", o.key, submission("")))
	l := w.take(t, offer)
	held := []net.Conn{}
	hold := func(head string) {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err == nil {
			_, err = io.WriteString(c, head+"\r\nHost: x\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{")
		}
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	drop := func() {
		for _, c := range held {
			_ = c.Close()
		}
		held = nil
	}
	defer drop()
	// One that is held may be refused because of the call that looks whether the places are taken: then another takes its place.
	fill := func(n int, head string, full func() bool) {
		for range n {
			hold(head)
		}
		until(t, func() bool {
			if full() {
				return true
			}
			hold(head)
			return false
		})
	}
	fill(2, "POST /api/v1/lint HTTP/1.1\r\nAuthorization: Bearer "+o.key, func() bool { return s.call(t, "POST", "/api/v1/lint", o.key, request("", 3)).status == 503 })
	if got := l.say(t, "heartbeat", ""); got.status != 200 {
		t.Errorf("a heartbeat beside callers who fill the service: %d %s", got.status, got.body)
	}
	drop()
	until(t, func() bool { return s.call(t, "POST", "/api/v1/lint", o.key, request("", 3)).status == 200 })
	fill(64, "PUT /api/worker/v1/jobs/"+l.job+"/model?lease="+l.lease+" HTTP/1.1\r\nDigest: sha-256="+strings.Repeat("0", 64)+"\r\nAuthorization: Bearer "+w.token,
		func() bool { return l.put(t, "model", "x").status == http.StatusServiceUnavailable })
	if got := s.call(t, "POST", "/api/v1/lint", o.key, request("", 3)); got.status != 200 {
		t.Errorf("a caller beside uploads that fill their places: %d", got.status)
	}
	if got := l.say(t, "heartbeat", ""); got.status != 200 {
		t.Errorf("a heartbeat beside uploads: %d %s", got.status, got.body)
	}
}

// until waits for what the service does on its own time.
func until(t *testing.T, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !yes(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come about")
		}
	}
}
