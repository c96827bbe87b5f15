package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/pythontest"
	"github.com/modelverifier/verifier/internal/training/data/datatest"
)

// hosted is the real service on loopback, with what must happen later, and a key.
type hosted struct {
	url, key string
	jobs     *jobs.Service
}

func host(t *testing.T, lease time.Duration) *hosted {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	st := accounttest.Open(t, accounttest.SQLite(t))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &hosted{url: "http://" + l.Addr().String()}
	log := slog.New(slog.DiscardHandler)
	bucket, err := blob.Open(ctx, t.TempDir(), blob.Signer{Secret: []byte(strings.Repeat("s", 32)), Base: h.url})
	if err != nil {
		t.Fatal(err)
	}
	h.jobs = &jobs.Service{Store: st.Jobs(), Blobs: bucket, Clock: time.Now, Log: log, Server: h.url, LeaseFor: lease}
	server, err := hostedapi.New(hostedapi.Config{Build: httpapi.Build{Name: "verifier-hosted", Version: "test"}, Limits: httpapi.Defaults(), Store: st, PublicURL: h.url,
		Hasher: accounttest.Hasher(t), Clock: time.Now, Log: log, Jobs: h.jobs, Weights: bucket.Handler()})
	if err != nil {
		t.Fatal(err)
	}
	served, later := make(chan error, 1), make(chan error, 1)
	go func() { served <- server.Serve(ctx, l) }()
	go func() { later <- st.Work(ctx, h.jobs, log) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-served, ignored(<-later), bucket.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	org, owner, _ := accounttest.Found(t, server.Accounts, "Alpha", "owner@alpha.example")
	if _, h.key, err = server.Accounts.CreateKey(ctx, org, owner.ID, "first"); err != nil {
		t.Fatal(err)
	}
	return h
}

func ignored(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// worker is one of the service's fleet.
func (h *hosted) worker(t *testing.T, name, python string) Options {
	t.Helper()
	token, err := h.jobs.AddWorker(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Server: h.url, Token: token, Name: name, Data: datatest.Folder(t, "tabular"), Work: t.TempDir(), Python: python, CPU: true}
}

func (h *hosted) call(t *testing.T, method, path, body string, into any) int {
	t.Helper()
	req, err := http.NewRequest(method, h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	return res.StatusCode
}

// submit asks for a run as soon as a worker is there.
func (h *hosted) submit(t *testing.T, epochs int) string {
	t.Helper()
	g, err := graph.Parse(classifier)
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"model":%s,"dataset":"tabular","config":{"epochs":%d,"batchSize":16,"lr":0.01,"optimizer":"adam"}}`, g.AppendJSON(nil), epochs)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		var got map[string]any
		status := h.call(t, http.MethodPost, "/api/v1/train", body, &got)
		if id, ok := got["job_id"].(string); ok {
			return id
		}
		if status != http.StatusServiceUnavailable || time.Now().After(deadline) {
			t.Fatalf("%d %v", status, got)
		}
	}
}

// until polls a job as its owner does.
func (h *hosted) until(t *testing.T, id string, enough func(train.Job) bool) train.Job {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		var j train.Job
		h.call(t, http.MethodGet, "/api/v1/train?job="+id, "", &j)
		if enough(j) {
			return j
		}
		if time.Now().After(deadline) || j.Status == "error" {
			t.Fatalf("%+v", j)
		}
	}
}

func completedJob(j train.Job) bool { return j.Status == "completed" }

func TestTheServiceAndAWorkerTrainAModel(t *testing.T) {
	if testing.Short() {
		t.Skip("trains with PyTorch, which takes seconds")
	}
	h := host(t, 0)
	o := h.worker(t, "one", pythontest.WithTorch(t))
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	id := h.submit(t, 4)
	j := h.until(t, id, completedJob)
	if len(j.Epochs) != 4 || j.Epochs[3].ValAcc < 0.9 || j.ModelTrained == nil || !*j.ModelTrained || j.Mode != "cpu" || j.EstCostUSD != 0 || j.Ledger != "written" {
		t.Errorf("%+v", j)
	}
	res, err := http.Get(j.ModelURL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if weights, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 200 || len(weights) < 4*1154 || !strings.Contains(string(weights), "fc1.weight") {
		t.Errorf("%d, %d bytes, %v", res.StatusCode, len(weights), err)
	}
	leave()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	nothingLeft(t, o.Work)
}

// going is a trainer that goes on from the number in its checkpoint.
const going = `n=0
row() { echo '{"event":"epoch","epoch":'$1',"trainLoss":0.'$1',"valLoss":0.5,"valAcc":0.9'$2'}'; }
if [ -f resume.pt ]; then n=$(sed 's/weights of //' resume.pt); fi
i=1; while [ $i -le $n ]; do row $i ',"resumed":true'; i=$((i+1)); done
while [ $i -le 6 ]; do sleep 0.3; echo "weights of $i" > checkpoint-$i.pt; row $i; i=$((i+1)); done
DONE`

// TestAJobOutlivesItsWorkers stops one worker after the other, the second without its being able to say so.
func TestAJobOutlivesItsWorkers(t *testing.T) {
	h := host(t, 2*time.Second)
	id := ""
	for i, name := range []string{"one", "two", "three"} {
		o := h.worker(t, name, script(t, going))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		reach, away := context.WithCancel(t.Context())
		defer away()
		o.Client = &http.Client{Transport: &cut{reach}}
		ended := make(chan error, 1)
		go func() { ended <- Run(ctx, o) }()
		if id == "" {
			id = h.submit(t, 6)
		}
		h.until(t, id, func(j train.Job) bool { return len(j.Epochs) >= 2*(i+1) })
		if name == "two" { // nothing that it says arrives any more
			away()
			for deadline := time.Now().Add(20 * time.Second); !empty(o.Work) && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			}
			nothingLeft(t, o.Work)
		}
		if name != "three" {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			nothingLeft(t, o.Work)
			continue
		}
		j := h.until(t, id, completedJob)
		for k, e := range j.Epochs {
			if e.Epoch != int64(k)+1 {
				t.Errorf("epochs: %+v", j.Epochs)
			}
		}
		if len(j.Epochs) != 6 || j.ModelTrained == nil || *j.ModelTrained || j.ModelReason != "there is no exporter in this test" || j.Ledger != "written" && j.Ledger != "already" {
			t.Errorf("%+v", j)
		}
		stop()
		<-ended
	}
}

func empty(folder string) bool {
	left, err := os.ReadDir(folder)
	return err == nil && len(left) == 0
}

// cut is a network that breaks when a context ends.
type cut struct{ until context.Context }

func (c *cut) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.until.Err() != nil {
		return nil, errors.New("the network is cut")
	}
	return http.DefaultTransport.RoundTrip(r)
}
