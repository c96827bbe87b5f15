package hostedapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/jobs"
)

// training has the service run jobs, with objects in a folder.
func training(t *testing.T, change ...func(*jobs.Service)) func(*hostedapi.Config) {
	t.Helper()
	return func(c *hostedapi.Config) {
		bucket, err := blob.Open(t.Context(), t.TempDir(), blob.Signer{Secret: []byte(strings.Repeat("s", 32)), Base: c.PublicURL, Now: c.Clock})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = bucket.Close() })
		c.Jobs = &jobs.Service{Store: c.Store.Jobs(), Blobs: bucket, Clock: c.Clock, Log: c.Log, Server: c.PublicURL}
		for _, f := range change {
			f(c.Jobs)
		}
		c.Weights = bucket.Handler()
	}
}

// trainer is a worker of the tests: it says what real ones say.
type trainer struct {
	*service
	token string
}

// trainer makes a worker, which offers something at once.
func (s *service) trainer(t *testing.T, name, offer string) *trainer {
	t.Helper()
	token, err := s.jobs.AddWorker(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	w := &trainer{s, token}
	if got := w.lease(t, offer); got.status != 204 || got.header.Get("Retry-After") == "" {
		t.Fatalf("a worker that comes before any job: %d %s", got.status, got.body)
	}
	return w
}

func (w *trainer) lease(t *testing.T, offer string) answer {
	t.Helper()
	return w.call(t, "POST", "/api/worker/v1/lease", w.token, `{"name":"host","version":"1","torch":"2.11.0","datasets":["mnist","cifar10","tabular"],`+offer+`}`)
}

// leased is a job that a worker has.
type leased struct {
	w          *trainer
	job, lease string
	task       string
}

// take leases a job.
func (w *trainer) take(t *testing.T, offer string) leased {
	t.Helper()
	got := w.lease(t, offer)
	if got.status != 200 {
		t.Fatalf("no job: %d %s", got.status, got.body)
	}
	return leased{w, got.json(t, "job").(string), got.json(t, "lease.id").(string), got.body}
}

// say posts to a job; members follow the lease.
func (l leased) say(t *testing.T, what, members string) answer {
	t.Helper()
	return l.w.call(t, "POST", "/api/worker/v1/jobs/"+l.job+"/"+what, l.w.token, `{"lease":"`+l.lease+`"`+members+`}`)
}

// put uploads bytes.
func (l leased) put(t *testing.T, what, content string, headers ...string) answer {
	t.Helper()
	if len(headers) == 0 {
		sum := sha256.Sum256([]byte(content))
		headers = []string{"Digest", "sha-256=" + hex.EncodeToString(sum[:])}
	}
	separator := "?"
	if strings.Contains(what, "?") {
		separator = "&"
	}
	return l.w.call(t, "PUT", "/api/worker/v1/jobs/"+l.job+"/"+what+separator+"lease="+l.lease, l.w.token, content, append(headers, "Content-Type", "application/octet-stream")...)
}

// good fails unless an answer is 200.
func good(t *testing.T, got answer) answer {
	t.Helper()
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	return got
}

// epochs is how many the job has.
func (l leased) epochs(t *testing.T) int {
	t.Helper()
	var body struct {
		Task struct {
			Config struct{ Epochs int }
		}
	}
	if err := json.Unmarshal([]byte(l.task), &body); err != nil || body.Task.Config.Epochs < 1 {
		t.Fatalf("%v: %s", err, l.task)
	}
	return body.Task.Config.Epochs
}

// epochs are members with the rows of some epochs, all with the same figures.
func epochs(first, last int, figures string) string {
	var rows []string
	for n := first; n <= last; n++ {
		rows = append(rows, fmt.Sprintf(`{"epoch":%d,%s}`, n, figures))
	}
	return `,"epochs":[` + strings.Join(rows, ",") + `]`
}

// complete runs a job to its end.
func (l leased) complete(t *testing.T, accuracy string) {
	t.Helper()
	good(t, l.say(t, "epochs", epochs(1, l.epochs(t), `"trainLoss":0.5,"valLoss":0.4,"valAcc":`+accuracy)))
	sum := sha256.Sum256([]byte("weights"))
	good(t, l.put(t, "model", "weights"))
	good(t, l.say(t, "finish", `,"status":"completed","wallSec":3,"modelTrained":true,"modelFormat":"onnx","modelBytes":7,"modelSha256":"`+hex.EncodeToString(sum[:])+`"`))
}

// submission is the body of POST /train on rows of a table.
func submission(members string) string {
	return `{"model":` + rows() + `,"dataset":"tabular"` + members + `}`
}

// fingerprintOf is that of a model.
func (s *service) fingerprintOf(t *testing.T, o tenant, model string) string {
	t.Helper()
	return good(t, s.call(t, "POST", "/api/v1/plan", o.key, `{"model":`+model+`}`)).json(t, "plan.model.fingerprint").(string)
}

// memberNames are those of an object, sorted.
func memberNames(t *testing.T, body string) string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

// TestARunGoesFromItsSubmissionToItsWeights walks the whole way, on both databases.
func TestARunGoesFromItsSubmissionToItsWeights(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, training(t))
		o := s.tenant(t, "Alpha")
		if got := s.call(t, "POST", "/api/v1/train", o.key, submission("")); got.status != 503 || got.body != `{"error":"gpu_not_configured"}`+"\n" {
			t.Errorf("without a worker: %d %s", got.status, got.body)
		}
		const offer = `"cards":["T4","L4"],"cpu":true`
		w := s.trainer(t, "gpu-1", offer)
		got := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(`,"config":{"epochs":99,"lr":0.01,"more":1},"source":{"repo":"lab/nets","pr":7}`)))
		if memberNames(t, got.body) != "backend config job_id mode plan text" || got.json(t, "mode") != "gpu" || got.json(t, "backend") != "workers" || got.json(t, "plan.cost.gpu") != "T4" {
			t.Errorf("submitted: %.600s", got.body)
		}
		if c, _ := json.Marshal(got.json(t, "config")); string(c) != `{"batchSize":128,"epochs":20,"lr":0.01,"optimizer":"adam"}` {
			t.Errorf("config %s", c)
		}
		id := got.json(t, "job_id").(string)
		job := "/api/v1/train?job=" + id
		got = good(t, s.call(t, "GET", job, o.key, ""))
		if got.json(t, "status") != "queued" || memberNames(t, got.body) != "attempts backend config created_at dataset epochs est_cost_usd fingerprint gpu job_id metrics mode source status" ||
			got.json(t, "source.repo") != "lab/nets" || got.json(t, "source.pr") != 7.0 || got.json(t, "gpu") != "T4" {
			t.Errorf("queued: %s", got.body)
		}
		l := w.take(t, offer)
		if l.job != id || !strings.Contains(l.task, "nn.Linear") || strings.Contains(l.task, o.org) {
			t.Errorf("leased: %s", l.task)
		}
		if got := good(t, l.say(t, "heartbeat", "")); got.json(t, "cancel") != false || got.json(t, "seconds") != 60.0 {
			t.Errorf("heartbeat: %s", got.body)
		}
		good(t, l.put(t, "checkpoint?epoch=1", "checkpoint one"))
		got = good(t, s.call(t, "GET", "/api/worker/v1/jobs/"+id+"/checkpoint?lease="+l.lease, w.token, ""))
		if got.body != "checkpoint one" || !strings.HasPrefix(got.header.Get("Digest"), "sha-256=") {
			t.Errorf("checkpoint: %q", got.body)
		}
		good(t, l.say(t, "epochs", `,"epochs":[{"epoch":1,"trainLoss":0.7,"valLoss":0.6,"valAcc":0.5}]`))
		got = good(t, s.call(t, "GET", job, o.key, ""))
		if got.json(t, "status") != "running" || strings.Contains(got.body, "model_") || strings.Contains(got.body, "ledger") || strings.Contains(got.body, "completed_at") ||
			!strings.Contains(got.body, `"epochs":[{"epoch":1,"trainLoss":0.7,"valLoss":0.6,"valAcc":0.5}]`) || got.json(t, "wall_sec") == nil {
			t.Errorf("running: %s", got.body)
		}
		good(t, l.say(t, "epochs", `,"epochs":[{"epoch":1,"trainLoss":9,"valLoss":9,"valAcc":0.1},{"epoch":2,"trainLoss":0.3,"valLoss":0.2,"valAcc":0.875}]`))
		good(t, l.say(t, "epochs", epochs(3, 20, `"trainLoss":0.3,"valLoss":0.2,"valAcc":0.875`)))
		sum := sha256.Sum256([]byte("weights"))
		good(t, l.put(t, "model", "weights"))
		end := `,"status":"completed","wallSec":3,"modelTrained":true,"modelFormat":"onnx","modelBytes":7,"modelSha256":"` + hex.EncodeToString(sum[:]) + `"`
		for range 2 { // who did not hear the answer says it again
			if got := good(t, l.say(t, "finish", end)); got.json(t, "status") != "completed" {
				t.Errorf("finish: %s", got.body)
			}
		}
		for _, word := range []string{"written", "already", "already"} {
			got = good(t, s.call(t, "GET", job, o.key, ""))
			if got.json(t, "ledger") != word || got.json(t, "status") != "completed" || got.json(t, "model_trained") != true || got.json(t, "model_format") != "onnx" ||
				!strings.Contains(got.body, `"metrics":[{"name":"valAcc","value":0.875},{"name":"valLoss","value":0.2},{"name":"trainLoss","value":0.3}]`) ||
				!strings.Contains(got.body, `"epochs":[{"epoch":1,"trainLoss":0.7,"valLoss":0.6,"valAcc":0.5},{"epoch":2,`) || strings.Contains(got.body, "model_reason") {
				t.Errorf("completed: %s", got.body)
			}
		}
		link := strings.TrimPrefix(got.json(t, "model_url").(string), s.url)
		if got := s.call(t, "GET", link, "", ""); got.status != 200 || got.body != "weights" {
			t.Errorf("weights: %d %q at %s", got.status, got.body, link)
		}
		s.clock.Pass(10*time.Minute + time.Second)
		if got := s.call(t, "GET", link, "", ""); got.status == 200 {
			t.Errorf("the link works after ten minutes")
		}
		s.known(t, o, id)
	})
}

// known looks at what a completed run leaves in history, plan and check.
func (s *service) known(t *testing.T, o tenant, id string) {
	t.Helper()
	got := good(t, s.call(t, "GET", "/api/v1/history?fingerprint="+s.fingerprintOf(t, o, rows()), o.key, ""))
	if !strings.Contains(got.body, `"metric":"valAcc","value":0.875,"epochs":20,"wallSec":`) || !strings.Contains(got.body, `"source":"train:tabular@gpu lab/nets#7"`) {
		t.Errorf("history: %s", got.body)
	}
	got = good(t, s.call(t, "POST", "/api/v1/plan", o.key, `{"model":`+rows()+`}`))
	if text := strings.Join(strings.Fields(got.json(t, "text").(string)), " "); !strings.Contains(text, "valAcc 0.875 after 20 epochs") {
		t.Errorf("plan: %s", text)
	}
	for range 2 {
		got = good(t, s.call(t, "POST", "/api/v1/check", o.key, `{"model":`+rows()+`}`))
		if !strings.Contains(got.body, `"lastRun":{"job_id":"`+id+`"`) || !strings.Contains(got.body, `"run":{"job_id":"`+id+`"`) || !strings.Contains(got.body, `"headline":"valAcc 0.875 on tabular, `) {
			t.Errorf("check: %s", got.body)
		}
	}
	if got := good(t, s.call(t, "POST", "/api/v1/check", o.key, request("", 3))); !strings.Contains(got.body, `"lastRun":null`) {
		t.Errorf("check of another structure: %s", got.body)
	}
	other := s.tenant(t, "Beta")
	if got := good(t, s.call(t, "POST", "/api/v1/check", other.key, `{"model":`+rows()+`}`)); !strings.Contains(got.body, `"lastRun":null`) || !strings.Contains(got.body, `"run":null`) {
		t.Errorf("check under another key: %s", got.body)
	}
}

// TestWhatIsRefusedIsRefusedInThisOrder breaks everything, and mends one thing at a time.
func TestWhatIsRefusedIsRefusedInThisOrder(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t))
	o := s.tenant(t, "Alpha")
	none := jobs.DefaultLimits
	none.InFlight = 0
	if err := s.jobs.SetLimits(t.Context(), o.org, none); err != nil {
		t.Fatal(err)
	}
	before := s.corpusRows(t)
	for _, c := range []struct {
		name, key, body string
		status          int
		says            string
	}{
		{"key", wrongKey, `{`, 401, "unauthorized"},
		{"body", o.key, `{"model":` + rows() + `,"dataset":"mnist","gpu":"H900"}`, 422, "unknown-value"},
		{"blocked", o.key, `{"model":` + rows() + `,"dataset":"mnist","gpu":"H100"}`, 422, `{"error":"blocked","plan":{`},
		{"big card", o.key, submission(`,"gpu":"H100"`), 403, `"code":"big-gpu","limit":0,"used":1}`},
		{"limits", o.key, submission(""), 429, `"code":"jobs-in-flight","limit":0,"used":0}`},
	} {
		if got := s.call(t, "POST", "/api/v1/train", c.key, c.body); got.status != c.status || !strings.Contains(got.body, c.says) {
			t.Errorf("%s: %d %.400s", c.name, got.status, got.body)
		}
	}
	if err := s.jobs.SetLimits(t.Context(), o.org, jobs.DefaultLimits); err != nil {
		t.Fatal(err)
	}
	if got := s.call(t, "POST", "/api/v1/train", o.key, submission("")); got.status != 503 || got.body != `{"error":"gpu_not_configured"}`+"\n" {
		t.Errorf("nowhere: %d %s", got.status, got.body)
	}
	if got := good(t, s.call(t, "GET", "/api/v1/train", o.key, "")); got.body != `{"jobs":[]}`+"\n" {
		t.Errorf("something was booked: %s", got.body)
	}
	if after := s.corpusRows(t); after-before != 4 { // all but the first two were examined
		t.Errorf("%v rows of the corpus were added, want 4", after-before)
	}
}

// corpusRows is how many rows the corpus was given.
func (s *service) corpusRows(t *testing.T) int {
	t.Helper()
	_, rest, _ := strings.Cut(s.inside(t, "/metrics").body, `verifier_corpus_rows_total{state="added"} `)
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestALackingDatasetIsWorthAskingForAgain tells a worker that has everything but the dataset, which may just have come, from nobody.
func TestALackingDatasetIsWorthAskingForAgain(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t))
	o := s.tenant(t, "Alpha")
	w := s.trainer(t, "one", `"cards":["L4"],"datasets":["mnist"]`) // the last of two members counts
	for members, retry := range map[string]string{"": "2", `,"gpu":"L4"`: "2", `,"gpu":"A10G"`: ""} {
		got := s.call(t, "POST", "/api/v1/train", o.key, submission(members))
		if got.status != 503 || got.body != `{"error":"gpu_not_configured"}`+"\n" || got.header.Get("Retry-After") != retry {
			t.Errorf("%q: %d %s, Retry-After %q, want %q", members, got.status, got.body, got.header.Get("Retry-After"), retry)
		}
	}
	w.lease(t, `"cards":["L4"]`)
	good(t, s.call(t, "POST", "/api/v1/train", o.key, submission("")))
}

func TestALimitSaysTheNumberThatWasHitAndWhenItResets(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, training(t))
		o := s.tenant(t, "Alpha")
		s.trainer(t, "gpu-1", `"cards":["L4"],"cpu":true`)
		try := func(l jobs.Limits) answer {
			t.Helper()
			if err := s.jobs.SetLimits(t.Context(), o.org, l); err != nil {
				t.Fatal(err)
			}
			return s.call(t, "POST", "/api/v1/train", o.key, submission(`,"gpu":"L4","config":{"epochs":20}`))
		}
		good(t, try(jobs.DefaultLimits))
		for code, change := range map[string]func(*jobs.Limits){
			"jobs-in-flight": func(l *jobs.Limits) { l.InFlight = 1 }, "jobs-today": func(l *jobs.Limits) { l.JobsPerDay = 1 }, "usd-today": func(l *jobs.Limits) { l.DollarsPerDay = 1 },
		} {
			l := jobs.DefaultLimits
			change(&l)
			got := try(l)
			retry, err := strconv.Atoi(got.header.Get("Retry-After"))
			if got.status != 429 || got.json(t, "code") != code || got.json(t, "error") == "" || got.json(t, "limit") == nil || got.json(t, "used") == nil || err != nil || retry < 1 || retry > 86400 {
				t.Errorf("%s: %d %s, Retry-After %q", code, got.status, got.body, got.header.Get("Retry-After"))
			}
			resets, _ := got.json(t, "resetsAt").(string)
			if at, err := time.Parse(time.RFC3339, resets); code != "jobs-in-flight" && (err != nil || !at.After(s.clock.Now()) || at.Hour() != 0) {
				t.Errorf("%s resets at %q", code, resets)
			}
			if limit := got.json(t, "limit").(float64); code == "usd-today" && limit != 0.000001 || code != "usd-today" && limit != 1 {
				t.Errorf("%s: limit %v", code, limit)
			}
		}
	})
}

func TestTheCardIsTheOneAskedForOrTheCheapestThatHoldsTheRun(t *testing.T) {
	for _, c := range []struct{ name, offer, members, mode, gpu string }{
		{"no big one that is not allowed, but a processor", `"cards":["H100"],"cpu":true`, ``, "cpu", ""},
		{"the cheapest", `"cards":["H100","L4","A10G"],"cpu":true`, ``, "gpu", "L4"},
		{"the one asked for", `"cards":["H100","L4","A10G"],"cpu":true`, `,"gpu":"a10g"`, "gpu", "A10G"},
		{"one that nobody has", `"cards":["L4"],"cpu":true`, `,"gpu":"A10G"`, "", ""},
		{"none, and a processor", `"cpu":true`, ``, "cpu", ""},
		{"a card asked for, and a processor", `"cpu":true`, `,"gpu":"T4"`, "", ""},
		{"nothing but a simulation", `"simulate":true`, ``, "simulated", ""},
		{"a card asked for, and a simulation", `"simulate":true`, `,"gpu":"T4"`, "simulated", "T4"},
	} {
		s := start(t, accounttest.SQLite(t), training(t, func(j *jobs.Service) { j.AllowSimulated = true }))
		o := s.tenant(t, "Alpha")
		s.trainer(t, "one", c.offer)
		got := s.call(t, "POST", "/api/v1/train", o.key, submission(c.members))
		if c.mode == "" {
			if got.status != 503 || got.body != `{"error":"gpu_not_configured"}`+"\n" {
				t.Errorf("%s: %d %.300s", c.name, got.status, got.body)
			}
			continue
		}
		got = good(t, s.call(t, "GET", "/api/v1/train?job="+good(t, got).json(t, "job_id").(string), o.key, ""))
		gpu, _ := got.json(t, "gpu").(string)
		if got.json(t, "mode") != c.mode || gpu != c.gpu || (c.mode == "gpu") != (got.json(t, "est_cost_usd").(float64) > 0) {
			t.Errorf("%s: %s", c.name, got.body)
		}
		s.stop()
	}
}

// TestAnotherOwnersJobIsAsUnknownAsNone tries the job of one organisation under the key of another, everywhere.
func TestAnotherOwnersJobIsAsUnknownAsNone(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, training(t))
		o, other := s.tenant(t, "Alpha"), s.tenant(t, "Beta")
		const offer = `"cpu":true`
		w := s.trainer(t, "one", offer)
		id := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
		unknown := s.call(t, "GET", "/api/v1/train?job=aaaaaaaaaaaaaaaaaaaaaaaaaa", other.key, "")
		want := `{"error":"No such job under this key."}` + "\n"
		for _, method := range []string{"GET", "DELETE"} {
			for _, job := range []string{id, "aaaaaaaaaaaaaaaaaaaaaaaaaa", "", "%00", "..", o.org, id + "&job=" + id, strings.Repeat("x", 9000)} {
				got := s.call(t, method, "/api/v1/train?job="+job, other.key, "")
				if got.status != 404 || got.body != want || got.body != unknown.body {
					t.Errorf("%s %.40s: %d %s", method, job, got.status, got.body)
				}
			}
		}
		if got := good(t, s.call(t, "GET", "/api/v1/train", other.key, "")); got.body != `{"jobs":[]}`+"\n" {
			t.Errorf("list: %s", got.body)
		}
		if got := good(t, s.call(t, "GET", "/api/v1/train?after="+id, other.key, "")); got.body != `{"jobs":[]}`+"\n" {
			t.Errorf("list behind another's: %s", got.body)
		}
		if got := good(t, s.call(t, "GET", "/api/v1/train?job="+id, o.key, "")); got.json(t, "status") != "queued" {
			t.Errorf("it was touched: %s", got.body)
		}
		w.take(t, offer).complete(t, "0.5")
		if got := s.call(t, "GET", "/api/v1/train?job="+id, other.key, ""); got.status != 404 || got.body != want {
			t.Errorf("completed: %d %s", got.status, got.body)
		}
		if got := good(t, s.call(t, "GET", "/api/v1/train?job="+id, o.key, "")); got.json(t, "ledger") != "written" {
			t.Errorf("who may not read it wrote its outcome: %s", got.body)
		}
	})
}

func TestOfTenThatPollAtOnceOneSaysWritten(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, training(t))
		o := s.tenant(t, "Alpha")
		const offer = `"cpu":true`
		w := s.trainer(t, "one", offer)
		for range 3 {
			id := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
			w.take(t, offer).complete(t, "0.5")
			said := make([]string, 10)
			var all sync.WaitGroup
			for i := range said {
				all.Go(func() {
					if got, err := s.try("GET", "/api/v1/train?job="+id, o.key, ""); err == nil && got.status == 200 {
						_, rest, _ := strings.Cut(got.body, `"ledger":"`)
						said[i], _, _ = strings.Cut(rest, `"`)
					}
				})
			}
			all.Wait()
			slices.Sort(said)
			if said[8] != "already" || said[9] != "written" || said[0] != "already" {
				t.Errorf("%v", said)
			}
		}
		var kept struct{ Rows []any }
		body := good(t, s.call(t, "GET", "/api/v1/history?fingerprint="+s.fingerprintOf(t, o, rows()), o.key, "")).body
		if err := json.Unmarshal([]byte(body), &kept); err != nil || len(kept.Rows) != 3 {
			t.Errorf("%v: %s", err, body)
		}
	})
}

func TestJobsAreListedNewestFirstAndPageByPage(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t))
	o := s.tenant(t, "Alpha")
	wide := jobs.DefaultLimits
	wide.InFlight, wide.JobsPerDay = 1000, 1000
	if err := s.jobs.SetLimits(t.Context(), o.org, wide); err != nil {
		t.Fatal(err)
	}
	s.trainer(t, "one", `"cpu":true`)
	var made []string
	for range 101 {
		made = append(made, good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string))
		s.clock.Pass(time.Second)
	}
	slices.Reverse(made)
	var listed, sizes []string
	for after := ""; ; {
		got := good(t, s.call(t, "GET", "/api/v1/train?after="+after, o.key, ""))
		var page struct {
			Jobs []struct {
				ID string `json:"job_id"`
			}
			Next string
		}
		if err := json.Unmarshal([]byte(got.body), &page); err != nil {
			t.Fatal(err)
		}
		for _, j := range page.Jobs {
			listed = append(listed, j.ID)
		}
		sizes = append(sizes, fmt.Sprint(len(page.Jobs)))
		if after = page.Next; after == "" {
			break
		}
	}
	if !slices.Equal(listed, made) || strings.Join(sizes, " ") != "50 50 1" {
		t.Errorf("pages of %v, the same jobs: %v", sizes, slices.Equal(listed, made))
	}
}

func TestACancelledJobEndsAsItsWorkerHears(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t))
	o := s.tenant(t, "Alpha")
	const offer = `"cpu":true`
	w := s.trainer(t, "one", offer)
	waits := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
	got := good(t, s.call(t, "DELETE", "/api/v1/train?job="+waits, o.key, ""))
	if got.json(t, "status") != "cancelled" || got.json(t, "model_trained") != false || got.json(t, "model_reason") == nil {
		t.Errorf("one that waits: %s", got.body)
	}
	runs := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
	l := w.take(t, offer)
	if got := good(t, s.call(t, "DELETE", "/api/v1/train?job="+runs, o.key, "")); got.json(t, "status") != "running" {
		t.Errorf("one that runs: %s", got.body)
	}
	if got := good(t, l.say(t, "heartbeat", "")); got.json(t, "cancel") != true {
		t.Errorf("its worker hears %s", got.body)
	}
	good(t, l.say(t, "finish", `,"status":"cancelled","wallSec":1`))
	if got := good(t, s.call(t, "DELETE", "/api/v1/train?job="+runs, o.key, "")); got.json(t, "status") != "cancelled" || strings.Contains(got.body, "model_url") || strings.Contains(got.body, "ledger") {
		t.Errorf("behind its end: %s", got.body)
	}
}

// TestARequestThatIsNotAsItShouldBeIsNotAFaultOfOurs sends broken bodies to the route, whole.
func TestARequestThatIsNotAsItShouldBeIsNotAFaultOfOurs(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t))
	o := s.tenant(t, "Alpha")
	s.trainer(t, "one", `"cpu":true`)
	for _, members := range []string{`,"config":{"epochs":1e999}`, `,"config":[[[[]]]]`, `,"config":"x"`, `,"gpu":null`, `,"source":null`, `,"source":{}`, `,"more":[1,2]`} {
		if got := s.call(t, http.MethodPost, "/api/v1/train", o.key, submission(members)); got.status != 200 && got.status != 429 {
			t.Errorf("%s: %d %.300s", members, got.status, got.body)
		}
	}
	for _, body := range []string{``, `[]`, `null`, `{"model":null,"dataset":"mnist"}`, `{"model":[],"dataset":"mnist"}`, submission(`,"gpu":{}`), submission(`,"source":[]`), submission(`,"dataset":"mnist"`)} {
		if got := s.call(t, http.MethodPost, "/api/v1/train", o.key, body, "Content-Type", "application/json"); got.status != 400 && got.status != 422 {
			t.Errorf("%s: %d %.300s", body, got.status, got.body)
		}
	}
}
