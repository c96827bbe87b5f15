package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// TestMain lets the test's own binary be the program, so that processes can be started and killed.
func TestMain(m *testing.M) {
	if os.Getenv("BE_VERIFIER_HOSTED") != "" {
		main()
	}
	if settings := os.Getenv(beWorker); settings != "" {
		labour(settings)
	}
	pgtest.Main(m)
}

// process is one that runs.
type process struct {
	url, greeting string
	cmd           *exec.Cmd
	stderr        *accounttest.Log
	ended         chan error
}

func asProgram(args ...string) *exec.Cmd { return programAt(os.Args[0], args...) }

func programAt(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "BE_VERIFIER_HOSTED=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// begin starts the service and waits until it is ready.
func begin(t *testing.T, args ...string) *process { t.Helper(); return beginAt(t, os.Args[0], args...) }

// beginAt starts the service from another place than the test's own.
func beginAt(t *testing.T, path string, args ...string) *process {
	t.Helper()
	p := &process{cmd: programAt(path, append([]string{"--addr", "127.0.0.1:0", "--weights-url", t.TempDir()}, args...)...), stderr: &accounttest.Log{}, ended: make(chan error, 1)}
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		p.greeting += lines.Text() + "\n"
		if at, ok := strings.CutPrefix(lines.Text(), "Model Verifier is at "); ok {
			p.url = at
		}
		if lines.Text() == "Ctrl-C stops it." {
			break
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		p.ended <- p.cmd.Wait()
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		resp, err := http.Get(p.url + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == 200 {
				return p
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %v", err)
		}
	}
}

// end sends a signal and waits.
func (p *process) end(t *testing.T, signal syscall.Signal) error {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.ended:
		return err
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
		return nil
	}
}

func (p *process) post(path, key, body string) (int, string, error) {
	return send(http.MethodPost, p.url+path, key, body)
}

func send(method, url, key, body string) (int, string, error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

const small = `{"model":{"components":[{"id":"a","type":"input","params":{"shape":[8]}},{"id":"b","type":"linear","params":{"outFeatures":3}},{"id":"c","type":"output"}],"connections":[{"from":"a","to":"b"},{"from":"b","to":"c"}]}}`

var keyForm = regexp.MustCompile(`mv_[A-Za-z0-9_-]{43}`)

// TestANewUserFindsTheWay starts it as make run does, follows the link, makes a key and uses it; then backs up, restores and looks again.
func TestANewUserFindsTheWay(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := begin(t, "--data", data)
	link := regexp.MustCompile(`http://\S+link=\S+`).FindString(p.greeting)
	if link == "" || strings.Contains(p.stderr.String(), "link=") {
		t.Fatalf("no link in %q, or one in the log", p.greeting)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	form := func(path string, values url.Values) string {
		r, err := http.NewRequest(http.MethodPost, path, strings.NewReader(values.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", p.url)
		resp, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode >= 400 {
			t.Fatalf("%s: %d %v %s", path, resp.StatusCode, err, body)
		}
		return resp.Request.URL.Path + "\n" + string(body)
	}
	secret := regexp.MustCompile(`link=(\S+)`).FindStringSubmatch(link)[1]
	page := form(strings.Split(link, "?")[0], url.Values{"link": {secret}, "organisation": {"Alpha"}, "name": {"Owner"}, "email": {"owner@alpha.example"}, "password": {accounttest.Password}})
	settings := regexp.MustCompile(`/settings/[a-z2-7]{26}`).FindString(page)
	if settings == "" {
		t.Fatalf("no settings in %s", page)
	}
	key := keyForm.FindString(form(p.url+settings+"/api", url.Values{"name": {"test"}}))
	if status, body, err := p.post("/api/v1/check", key, small); status != 200 || err != nil {
		t.Fatalf("%d %s %v", status, body, err)
	}
	archive := filepath.Join(t.TempDir(), "archive")
	if out, err := asProgram("--data", data, "backup", archive).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if err := p.end(t, syscall.SIGTERM); err != nil {
		t.Errorf("stopping: %v\n%s", err, p.stderr)
	}
	if log := p.stderr.String(); strings.Contains(log, key) || strings.Contains(log, secret) || strings.Contains(log, "correct horse") {
		t.Error("a secret is in the log")
	}
	other := filepath.Join(t.TempDir(), "other")
	if out, err := asProgram("--data", other, "restore", archive).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if out, err := asProgram("--data", other, "restore", archive).CombinedOutput(); err == nil {
		t.Errorf("restored twice: %s", out)
	}
	again := begin(t, "--data", other)
	if strings.Contains(again.greeting, "link=") {
		t.Error("a second first link")
	}
	if status, body, err := again.post("/api/v1/check", key, small); status != 200 || err != nil {
		t.Errorf("restored: %d %s %v", status, body, err)
	}
	for _, args := range [][]string{{"create-admin"}, {"reset-password", "owner@alpha.example"}, {"migrate"}} {
		out, err := asProgram(append([]string{"--data", other}, args...)...).CombinedOutput()
		if err != nil || args[0] != "migrate" && !strings.Contains(string(out), "link=") {
			t.Errorf("%v: %v %s", args, err, out)
		}
	}
	if out, err := asProgram("--data", other, "reset-password", "nobody@alpha.example").CombinedOutput(); err == nil {
		t.Errorf("somebody who is not there: %s", out)
	}
}

// operator makes an organisation and keys beside the processes, on their database.
func operator(t *testing.T, database string) (*account.Service, string, string) {
	t.Helper()
	a := &account.Service{Store: accounttest.Open(t, database).Accounts(), Clock: time.Now, Hasher: accounttest.Hasher(t)}
	org, owner, _ := accounttest.Found(t, a, "Alpha", "owner@alpha.example")
	return a, org, owner.ID
}

// TestThreeReplicasShareKeysAndLimits runs three processes over one PostgreSQL.
func TestThreeReplicasShareKeysAndLimits(t *testing.T) {
	database := pgtest.New(t)
	a, org, person := operator(t, database)
	var replicas []*process
	for range 3 {
		replicas = append(replicas, begin(t, "--database-url", database, "--key-rate", "600"))
	}
	k, key, err := a.CreateKey(context.Background(), org, person, "revoked")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range replicas {
		if status, body, err := r.post("/api/v1/lint", key, small); status != 200 || err != nil {
			t.Fatalf("%d %s %v", status, body, err)
		}
	}
	if err := a.RevokeKey(context.Background(), org, person, k.ID); err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	var all sync.WaitGroup
	for i, r := range replicas {
		all.Go(func() {
			for {
				sent := time.Since(revoked)
				status, _, err := r.post("/api/v1/lint", key, small)
				if err != nil {
					t.Error(err)
					return
				}
				if status == 401 {
					t.Logf("replica %d refuses a call sent %v after the revocation", i, sent)
					return
				}
				if sent > time.Second {
					t.Errorf("replica %d takes a key sent %v after it was revoked", i, sent)
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	all.Wait()

	_, key, err = a.CreateKey(context.Background(), org, person, "limited")
	if err != nil {
		t.Fatal(err)
	}
	var allowed, refused atomic.Int64
	began := time.Now()
	for i := range 12 {
		all.Go(func() {
			for range 75 {
				status, body, err := replicas[i%3].post("/api/v1/lint", key, small)
				switch {
				case err != nil:
					t.Error(err)
				case status == 200:
					allowed.Add(1)
				case status == 429:
					refused.Add(1)
				default:
					t.Errorf("%d %s", status, body)
				}
			}
		})
	}
	all.Wait()
	if took := time.Since(began); took > 55*time.Second {
		t.Skipf("900 calls took %v: the window of a minute may have ended", took)
	}
	if n := allowed.Load(); n < 570 || n > 600 || n+refused.Load() != 900 {
		t.Errorf("%d of 900 calls were let through, want 600 less 5 %%", n)
	}
	t.Logf("%d of a limit of 600 over three replicas", allowed.Load())
}

// TestKilledLosesNothingAcknowledged kills the service at any moment while it keeps outcomes and shared plans.
func TestKilledLosesNothingAcknowledged(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "verifier.db") },
		"postgres": func(t *testing.T) string { return pgtest.Start(t).Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			at := database(t)
			a, org, person := operator(t, at)
			args := []string{"--database-url", at}
			if path, ok := strings.CutPrefix(at, "sqlite:"); ok {
				args = []string{"--data", filepath.Dir(path)}
			}
			args = append(args, "--key-rate", "1000000")
			_, key, err := a.CreateKey(context.Background(), org, person, "test")
			if err != nil {
				t.Fatal(err)
			}
			var outcomes, plans []string
			chance := rand.New(rand.NewPCG(1, 2))
			for round := range 4 {
				p := begin(t, args...)
				var killed sync.Once // some time after its first answer, however long that takes
				for i := 0; ; i++ {
					fingerprint := fmt.Sprintf("%08x", round<<16|i)
					status, body, err := p.post("/api/v1/history", key, `{"fingerprint":"`+fingerprint+`","metric":"m","value":1}`)
					if err != nil {
						break
					}
					if status != 200 {
						t.Fatalf("%d %s", status, body)
					}
					outcomes = append(outcomes, fingerprint)
					killed.Do(func() {
						time.AfterFunc(time.Duration(chance.IntN(300))*time.Millisecond, func() { _ = p.cmd.Process.Kill() })
					})
					var got struct{ Share struct{ ID string } }
					status, body, err = p.post("/api/v1/plan", key, `{"share":true,`+small[1:])
					if err != nil {
						break
					}
					if status != 200 || json.Unmarshal([]byte(body), &got) != nil {
						t.Fatalf("%d %s", status, body)
					}
					plans = append(plans, got.Share.ID)
				}
				<-p.ended
			}
			if len(outcomes) < 4 {
				t.Fatalf("only %d outcomes were acknowledged", len(outcomes))
			}
			p := begin(t, args...)
			for _, f := range outcomes {
				if status, body, err := send(http.MethodGet, p.url+"/api/v1/history?fingerprint="+f, key, ""); status != 200 || err != nil || !strings.Contains(body, `"metric":"m"`) {
					t.Errorf("outcome %s: %d %s %v", f, status, body, err)
				}
			}
			for _, id := range plans {
				if status, _, err := send(http.MethodGet, p.url+"/p/"+id, "", ""); status != 200 || err != nil {
					t.Errorf("plan %s: %d %v", id, status, err)
				}
			}
			t.Logf("%d outcomes and %d plans are there", len(outcomes), len(plans))
			if err := p.end(t, syscall.SIGTERM); err != nil {
				t.Error(err, p.stderr)
			}
		})
	}
}
