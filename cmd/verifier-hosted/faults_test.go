package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/store/pgtest"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
	fleet "github.com/modelverifier/verifier/internal/worker"
)

// beWorker makes the test's own binary a worker, by the settings that it holds.
const beWorker = "BE_VERIFIER_WORKER"

// labourer is how a worker of the fault run is started. One that simulates is the real worker; one that does not stands in for the
// trainer alone, and does everything else that a worker does: checkpoints, epochs, weights.
type labourer struct {
	Server, Token, Log string
	Simulate           bool
	Tokens             []string // of many that simulate, in one process
}

// deed is a line of a worker's log: what the service acknowledged to it.
type deed struct {
	Job, Lease, What, SHA string
	Asked, Answered       int64 // microseconds by the machine's clock
}

func labour(settings string) {
	var l labourer
	if err := json.Unmarshal([]byte(settings), &l); err != nil {
		panic(err)
	}
	for _, token := range l.Tokens {
		go func() {
			for {
				_ = fleet.Run(context.Background(), fleet.Options{Server: l.Server, Token: token, Simulate: true, Work: filepath.Dir(l.Log), Log: slog.New(slog.DiscardHandler)})
				time.Sleep(time.Second)
			}
		}()
	}
	if len(l.Tokens) > 0 {
		select {} // until it is killed
	}
	if l.Simulate {
		fmt.Fprintln(os.Stderr, fleet.Run(context.Background(), fleet.Options{Server: l.Server, Token: l.Token, Simulate: true, Pause: 50 * time.Millisecond,
			Work: filepath.Dir(l.Log), Log: slog.New(slog.DiscardHandler)}))
		os.Exit(1)
	}
	f, err := os.OpenFile(l.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	for {
		(&shift{labourer: l, log: f}).work()
		time.Sleep(20 * time.Millisecond)
	}
}

// shift is one job of a worker.
type shift struct {
	labourer
	log *os.File
	protocol.Assignment
	mu    sync.Mutex
	until time.Time // by which the lease is ours for certain
	lost  bool
}

var hurried = &http.Client{Timeout: 3 * time.Second}

// ask makes one call of the protocol. A status of 0 is no answer.
func (s *shift) ask(method, path string, body []byte, headers ...string) (int, []byte) {
	r, err := http.NewRequest(method, s.Server+protocol.Prefix+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := hurried.Do(r)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil
	}
	return resp.StatusCode, answer
}

// holds says whether the lease is still ours.
func (s *shift) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.lost && time.Now().Before(s.until)
}

// insist makes a call until it is answered, the lease is lost or may be.
func (s *shift) insist(what, method, path string, body []byte, headers ...string) ([]byte, bool) {
	for s.holds() {
		asked := time.Now().UnixMicro()
		status, answer := s.ask(method, "jobs/"+s.Job+"/"+path, body, headers...)
		switch {
		case status == 200:
			d := deed{Job: s.Job, Lease: s.Lease.ID, What: what, Asked: asked, Answered: time.Now().UnixMicro()}
			if strings.HasPrefix(what, "finish") {
				d.SHA = sum(s.weights())
			}
			s.note(d)
			return answer, true
		case status == 409:
			s.mu.Lock()
			s.lost = true
			s.mu.Unlock()
		case status >= 400 && status < 500:
			s.note(deed{Job: s.Job, Lease: s.Lease.ID, What: fmt.Sprintf("refused %s: %d %s", what, status, answer)})
			return nil, false
		default:
			time.Sleep(30 * time.Millisecond)
		}
	}
	return nil, false
}

// note writes a line, whole or not at all.
func (s *shift) note(d deed) {
	line, err := json.Marshal(d)
	if err == nil {
		_, err = s.log.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err)
	}
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// measured is the row of an epoch: the same whoever computes it.
func measured(job string, n int64) training.Epoch {
	return training.Epoch{Epoch: n, TrainLoss: float64(sha256.Sum256([]byte(fmt.Sprint(job, n)))[0]), ValLoss: 1 / float64(n), ValAcc: 0.5}
}

func (s *shift) weights() []byte {
	return []byte(strings.Repeat("weights of "+s.Job+" under "+s.Lease.ID, 1000))
}

func (s *shift) work() {
	offer, _ := json.Marshal(protocol.Offer{Name: "fault", CPU: true, Datasets: training.DatasetNames()})
	asked := time.Now()
	status, answer := s.ask("POST", "lease", offer)
	if status != 200 || json.Unmarshal(answer, &s.Assignment) != nil {
		return
	}
	lasts := time.Duration(s.Lease.Seconds * float64(time.Second))
	s.until = asked.Add(lasts)
	s.note(deed{Job: s.Job, Lease: s.Lease.ID, What: "lease", Asked: asked.UnixMicro(), Answered: time.Now().UnixMicro()})
	held, _ := json.Marshal(protocol.Held{Lease: s.Lease.ID})
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(lasts / jobs.HeartbeatsPerLease):
			}
			began := time.Now()
			if _, ok := s.insist("beat", "POST", "heartbeat", held); !ok {
				return
			}
			s.mu.Lock()
			s.until = began.Add(lasts)
			s.mu.Unlock()
		}
	}()
	s.train()
}

// train does what a trainer and the worker around it do, but for the computing.
func (s *shift) train() {
	var rows []training.Epoch
	if s.Checkpoint != nil {
		saved, ok := s.insist("get checkpoint", "GET", "checkpoint?lease="+s.Lease.ID, nil)
		if !ok || json.Unmarshal(saved, &rows) != nil || int64(len(rows)) != s.Checkpoint.Epoch {
			return
		}
		// The worker before may have died between the checkpoint and its row.
		body, _ := json.Marshal(protocol.Epochs{Lease: s.Lease.ID, Epochs: rows})
		if _, ok := s.insist("epochs", "POST", "epochs", body); !ok {
			return
		}
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for n := int64(len(rows)) + 1; n <= s.Task.Config.Epochs; n++ {
		time.Sleep(time.Duration(20+chance.IntN(100)) * time.Millisecond)
		rows = append(rows, measured(s.Job, n))
		saved, _ := json.Marshal(rows)
		if _, ok := s.insist("checkpoint", "PUT", fmt.Sprintf("checkpoint?lease=%s&epoch=%d", s.Lease.ID, n), saved, "Digest", "sha-256="+sum(saved)); !ok {
			return
		}
		body, _ := json.Marshal(protocol.Epochs{Lease: s.Lease.ID, Epochs: rows})
		if _, ok := s.insist("epochs", "POST", "epochs", body); !ok {
			return
		}
	}
	w := s.weights()
	if _, ok := s.insist("model", "PUT", "model?lease="+s.Lease.ID, w, "Digest", "sha-256="+sum(w)); !ok {
		return
	}
	end, _ := json.Marshal(protocol.End{Lease: s.Lease.ID, Status: "completed", ModelTrained: true, ModelFormat: "onnx", ModelSHA256: sum(w), ModelBytes: int64(len(w))})
	s.insist("finish", "POST", "finish", end)
}

// ordeal is a service, its workers and its database, any of which may be killed.
type ordeal struct {
	t        *testing.T
	database *pgtest.Server // nil: SQLite
	args     []string
	address  string
	service  *process
	workers  []*exec.Cmd
	settings []labourer
	key, org string
	folder   string
}

// must ends the test at a fault of its own.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// prepare makes an organisation that may do much, its key, and workers, in a database that no service has yet.
func prepare(t *testing.T, postgres bool, workers int) *ordeal {
	o := &ordeal{t: t, folder: t.TempDir()}
	data := filepath.Join(o.folder, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	address := "sqlite:" + filepath.Join(data, "verifier.db")
	o.args = []string{"--data", data}
	if postgres {
		o.database = pgtest.Start(t)
		address = o.database.Database(t)
		o.args = append(o.args, "--database-url", address)
	}
	o.address = address
	s := accounttest.Open(t, address)
	a := &account.Service{Store: s.Accounts(), Clock: time.Now, Hasher: accounttest.Hasher(t)}
	org, owner, _ := accounttest.Found(t, a, "Lab", "owner@lab.example")
	_, key, err := a.CreateKey(t.Context(), org, owner.ID, "faults")
	if err != nil {
		t.Fatal(err)
	}
	o.org, o.key = org, key
	j := &jobs.Service{Store: s.Jobs(), Clock: time.Now}
	err = j.SetLimits(t.Context(), org, jobs.Limits{InFlight: 1e6, JobsPerDay: 1e6, DollarsPerDay: 1e12, Runtime: time.Hour})
	l := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	at := l.Addr().String()
	o.args = append(o.args, "--addr", at, "--weights-url", filepath.Join(o.folder, "weights"), "--worker-lease", "2s", "--key-rate", "1000000000", "--peer-connections", "1000", "--allow-simulated", "--local-worker", "off")
	for i := range workers {
		token := must[string](t)(j.AddWorker(t.Context(), fmt.Sprint("w", i)))
		o.settings = append(o.settings, labourer{Server: "http://" + at, Token: token, Log: filepath.Join(o.folder, fmt.Sprintf("w%d.log", i)), Simulate: i%4 == 3})
	}
	o.workers = make([]*exec.Cmd, workers)
	if err = errors.Join(err, l.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *ordeal) hire(i int) {
	o.t.Helper()
	settings := must[[]byte](o.t)(json.Marshal(o.settings[i]))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), beWorker+"="+string(settings))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.workers[i] = cmd
}

func (o *ordeal) fire(i int) {
	_ = o.workers[i].Process.Kill()
	_ = o.workers[i].Wait()
}

// serve starts the service, where it was before.
func (o *ordeal) serve() { o.service = begin(o.t, o.args...) }

// call sends a request of the owner's, who does not wait for long: the service may have been killed. 0: no answer.
func (o *ordeal) call(method, path, body string) (int, []byte) {
	return o.callAs(hurried, method, path, body)
}

func (o *ordeal) callAs(client *http.Client, method, path, body string) (int, []byte) {
	s := shift{labourer: labourer{Token: o.key}}
	s.Server = strings.TrimSuffix(o.settings[0].Server, "/")
	r, err := http.NewRequest(method, s.Server+path, strings.NewReader(body))
	if err != nil {
		o.t.Error(err)
		return 0, nil
	}
	r.Header.Set("Authorization", "Bearer "+o.key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, answer
}

// submit sends a job of a structure of its own until it is taken, and returns its id.
func (o *ordeal) submit(n int) string {
	model := fmt.Sprintf(`{"components":[{"id":"x","type":"input","params":{"shape":[1,28,28]}},{"id":"f","type":"flatten"},
		{"id":"a","type":"linear","params":{"inFeatures":784,"outFeatures":%d}},{"id":"b","type":"linear","params":{"inFeatures":%d,"outFeatures":10}},{"id":"y","type":"output"}],
		"connections":[{"from":"x","to":"f"},{"from":"f","to":"a"},{"from":"a","to":"b"},{"from":"b","to":"y"}]}`, n+8, n+8)
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		status, answer := o.call("POST", "/api/v1/train", `{"dataset":"mnist","config":{"epochs":3},"model":`+model+`}`)
		var made struct {
			ID string `json:"job_id"`
		}
		switch {
		case status == 200 && json.Unmarshal(answer, &made) == nil && made.ID != "":
			return made.ID
		case status >= 400 && status < 500:
			o.t.Errorf("a job is refused: %d %s", status, answer)
			return ""
		}
	}
	o.t.Error("no job was taken within five minutes")
	return ""
}

// status reads a job as its owner; empty: no answer.
func (o *ordeal) status(id string) (status, ledger string) {
	code, answer := o.call("GET", "/api/v1/train?job="+id, "")
	var j struct{ Status, Ledger string }
	if code != 200 || json.Unmarshal(answer, &j) != nil {
		return "", ""
	}
	return j.Status, j.Ledger
}

// TestNothingIsLostOrDoneTwiceWhateverIsKilled runs jobs while workers, the service and the database are killed at drawn moments.
// VERIFIER_FAULTS says how many jobs there are: make faults has 200.
func TestNothingIsLostOrDoneTwiceWhateverIsKilled(t *testing.T) {
	many := 12
	if n := os.Getenv("VERIFIER_FAULTS"); n != "" {
		if _, err := fmt.Sscan(n, &many); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		t.Skip("takes most of a minute")
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			o := prepare(t, kind == "postgres", 8)
			o.serve()
			for i := range o.workers {
				o.hire(i)
			}
			ids, written := o.run(many)
			for i := range o.workers {
				o.fire(i)
			}
			_ = o.service.end(t, syscall.SIGTERM)
			o.judge(ids, written)
		})
	}
}

// run submits jobs, kills, and waits until every job has ended. It returns the jobs, and how often each was said to be written.
func (o *ordeal) run(many int) (ids []string, written map[string]int) {
	written = map[string]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	over := make(chan struct{})
	for range 4 {
		group.Go(func() {
			for {
				mu.Lock()
				n := len(ids)
				if n < many {
					ids = append(ids, "")
				}
				mu.Unlock()
				if n >= many {
					return
				}
				id := o.submit(n)
				mu.Lock()
				ids[n] = id
				mu.Unlock()
			}
		})
	}
	ended := map[string]bool{}
	for range 3 { // who asks for the same jobs at the same time
		group.Go(func() {
			for {
				mu.Lock()
				var open []string
				for _, id := range ids {
					if id != "" && !ended[id] {
						open = append(open, id)
					}
				}
				done := len(ended) == many
				mu.Unlock()
				select {
				case <-over:
					return
				default:
				}
				if done {
					return
				}
				for _, id := range open {
					status, word := o.status(id)
					mu.Lock()
					if word == ledger.Written {
						written[id]++
					}
					if jobs.Status(status).Ended() && word != jobs.Unavailable {
						ended[id] = true
					}
					mu.Unlock()
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(ended) }
	began, kills, chance := time.Now(), map[string]int{}, rand.New(rand.NewPCG(uint64(many), 2))
	for count() < many*3/4 { // the rest end in peace
		slow := 1 + time.Since(began)/(20*time.Second) // where programs start slowly they get more time in between
		time.Sleep(slow * time.Duration(50+chance.IntN(300)) * time.Millisecond)
		switch dice := chance.IntN(20); {
		case dice < 1 && o.database != nil:
			kills["database"]++
			o.database.Kill()
			time.Sleep(time.Duration(chance.IntN(1000)) * time.Millisecond)
			if err := o.database.Start(); err != nil {
				o.t.Fatal(err)
			}
		case dice < 3:
			kills["service"]++
			_ = o.service.cmd.Process.Kill()
			<-o.service.ended
			o.serve()
		default:
			kills["worker"]++
			i := chance.IntN(len(o.workers))
			o.fire(i)
			o.hire(i)
		}
		if time.Since(began) > 10*time.Minute {
			close(over)
			o.t.Fatalf("%d of %d jobs have ended in ten minutes", count(), many)
		}
	}
	for calm := time.Now(); count() < many; time.Sleep(100 * time.Millisecond) {
		if time.Since(calm) > 5*time.Minute {
			close(over)
			o.t.Fatalf("%d of %d jobs have ended five minutes behind the last kill", count(), many)
		}
	}
	group.Wait()
	o.t.Logf("%d jobs in %v, killed %v", many, time.Since(began).Round(time.Second), kills)
	return ids, written
}

// deeds reads what the service acknowledged to the workers.
func (o *ordeal) deeds() (all []deed) {
	o.t.Helper()
	for _, s := range o.settings {
		text, err := os.ReadFile(s.Log)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			o.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var d deed
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				continue // the last line of one that was killed
			}
			if strings.HasPrefix(d.What, "refused") {
				o.t.Errorf("%s of %s", d.What, d.Job)
			}
			all = append(all, d)
		}
	}
	return all
}

// judge looks at everything that is left.
func (o *ordeal) judge(ids []string, written map[string]int) {
	t := o.t
	s := accounttest.Open(t, o.address)
	bucket := must[*blob.Bucket](t)(blob.Open(t.Context(), filepath.Join(o.folder, "weights"), blob.Signer{Secret: make([]byte, 32), Base: "http://localhost"}))
	defer bucket.Close()
	j := &jobs.Service{Store: s.Jobs(), Blobs: bucket, Clock: time.Now}
	// A submission whose answer was lost is a job as well.
	all := must[[]jobs.Job](t)(j.List(t.Context(), o.org, "", 100*len(ids)))
	known, states, runs := map[string]jobs.Job{}, map[string]int{}, map[string]int{}
	for _, job := range all {
		got := must[jobs.Job](t)(j.Get(t.Context(), o.org, job.ID)) // which writes the outcome of those that nobody knew of
		known[got.ID] = got
		states[string(got.Status)+" "+string(got.Mode)]++
		o.judgeJob(bucket, got, written[got.ID])
		if got.Status == jobs.Completed && got.Mode != jobs.Simulated {
			runs[got.Fingerprint]++ // two of a structure whose first submission was not answered
		}
	}
	for fingerprint, n := range runs {
		rows := must[[]ledger.Row](t)(ledger.Ledger{Store: s.Outcomes()}.List(t.Context(), o.org, fingerprint))
		if len(rows) != n {
			t.Errorf("%s has %d rows of %d runs", fingerprint, len(rows), n)
		}
	}
	for _, id := range ids {
		if got, ok := known[id]; !ok || !got.Status.Ended() {
			t.Errorf("%q was acknowledged and is %q", id, got.Status)
		}
	}
	granted := map[string]deed{} // by lease
	deeds := o.deeds()
	for _, d := range deeds {
		if d.What == "lease" {
			if other, twice := granted[d.Lease]; twice {
				t.Errorf("lease %s was given for %s and for %s", d.Lease, d.Job, other.Job)
			}
			granted[d.Lease] = d
		}
	}
	for _, d := range deeds {
		for _, g := range granted {
			if g.Job == d.Job && g.Lease != d.Lease && granted[d.Lease].Answered < g.Asked && d.Asked > g.Answered {
				t.Errorf("%s of %s under %s was accepted behind the lease %s", d.What, d.Job, d.Lease, g.Lease)
			}
		}
		if d.What == "finish" {
			if got := known[d.Job]; got.Status != jobs.Completed || !got.Weights.Trained || got.Weights.SHA256 != d.SHA {
				t.Errorf("%s was acknowledged with weights %s and is %s with %+v", d.Job, d.SHA, got.Status, got.Weights)
			}
		}
	}
	t.Logf("%d jobs: %v; %d leases, %d acknowledged calls", len(all), states, len(granted), len(deeds))
}

// judgeJob looks at one job, its epochs and its weights.
func (o *ordeal) judgeJob(bucket *blob.Bucket, got jobs.Job, written int) {
	t := o.t
	t.Helper()
	if !got.Status.Ended() || got.Attempts > jobs.MaxAttempts {
		t.Errorf("%s is %s behind %d attempts", got.ID, got.Status, got.Attempts)
	}
	for i, e := range got.Epochs {
		if want := measured(got.ID, int64(i+1)); e.Epoch != want.Epoch || got.Mode != jobs.Simulated && e != want {
			t.Errorf("%s: epoch %d is %+v, want %+v", got.ID, i+1, e, want)
		}
	}
	if got.Status == jobs.Completed && got.Mode != jobs.Simulated {
		r, err := bucket.Get(t.Context(), got.Weights.Key)
		if err != nil {
			t.Errorf("%s: the weights are lost: %v", got.ID, err)
			return
		}
		text, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil || sum(text) != got.Weights.SHA256 {
			t.Errorf("%s: the weights are others: %v", got.ID, err)
		}
	}
	if got.Status == jobs.Completed && int64(len(got.Epochs)) != got.Config.Epochs || written > 1 {
		t.Errorf("%s is %s with %d epochs, said to be written %d times", got.ID, got.Status, len(got.Epochs), written)
	}
}
