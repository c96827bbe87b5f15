package hostedapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/llm/llmtest"
)

// netSource is a class that is whole; its caller forbids relu.
const netSource = `import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 3)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x))) # MARK
`

const netModel = `{"name":"Net","components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"fc1","type":"linear","params":{"outFeatures":16}},{"id":"relu","type":"relu"},{"id":"fc2","type":"linear","params":{"outFeatures":3}},{"id":"y","type":"output"}],` +
	`"connections":[{"from":"x","to":"fc1"},{"from":"fc1","to":"relu"},{"from":"relu","to":"fc2"},{"from":"fc2","to":"y"}]}`

// fixRequest asks for another activation, with a mark in the file.
func fixRequest(mark string) string {
	text, _ := json.Marshal(strings.ReplaceAll(netSource, "MARK", mark))
	return `{"model":` + netModel + `,"findings":[],"policy":{"forbid_types":["relu"]},"files":[{"path":"` + mark + `net.py","text":` + string(text) + `}]}`
}

// providing has a service ask a provider that a handler plays, in the Messages format.
func providing(t *testing.T, answer http.HandlerFunc, change ...func(*llm.Config)) func(*hostedapi.Config) {
	t.Helper()
	provider := httptest.NewServer(answer)
	t.Cleanup(provider.Close)
	config := llm.Config{Format: "messages", URL: provider.URL, Model: "m", Key: llm.NewKey("providerkeymark"), Timeout: 20 * time.Second,
		Wait: func(context.Context, time.Duration) error { return nil }}
	for _, f := range change {
		f(&config)
	}
	client, err := llm.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *hostedapi.Config) { c.Agent = client }
}

// saying is a provider that answers one text.
func saying(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(llmtest.Said("messages", text)) }
}

func tanh(mark string) string {
	return "<<<<<<< SEARCH " + mark + "net.py\ntorch.relu(\n======= REPLACE\ntorch.tanh(\n>>>>>>> END\n"
}

// TestFixKeepsNothing puts marks into the file, the question and the answer, and looks for them in the log and the database.
func TestFixKeepsNothing(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"an answer": saying("answermark\n" + tanh("filemark")),
		"prose":     saying("answermark"),
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"type":"error","error":{"type":"answermark_2","message":"providerkeymark answermark filemark"}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			database := accounttest.SQLite(t)
			s := start(t, database, providing(t, answer))
			o := s.tenant(t, "Alpha")
			got := s.call(t, "POST", "/api/v1/fix", o.key, fixRequest("filemark"))
			if want := map[string]int{"an answer": 200, "prose": 422, "an error": 503}[name]; got.status != want {
				t.Errorf("%d %s", got.status, got.body)
			}
			if strings.Contains(got.body, "providerkeymark") || name == "an error" && strings.Contains(got.body, "answermark") {
				t.Errorf("the answer repeats what the provider said of the key: %s", got.body)
			}
			metrics := s.inside(t, "/metrics").body
			s.stop()
			kept := s.log.String() + metrics + string(contents(t, database))
			for _, mark := range []string{"filemark", "answermark", "providerkeymark", "torch.relu"} {
				if strings.Contains(kept, mark) {
					t.Errorf("%s is kept", mark)
				}
			}
		})
	}
}

// TestEachCallOfFixIsOneAgentMessage counts up to the limit. What is refused before anything is done does not count.
func TestEachCallOfFixIsOneAgentMessage(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, providing(t, saying("prose")))
		o, other := s.tenant(t, "Alpha"), s.tenant(t, "Beta")
		limits := jobs.DefaultLimits
		limits.AgentMessages = 3
		if err := s.store.Jobs().Write(t.Context(), func(tx jobs.Tx) error { return tx.PutLimits(o.org, limits) }); err != nil {
			t.Fatal(err)
		}
		whole := `{"model":` + netModel + `,"findings":[],"files":[]}`
		for i, c := range []struct {
			body   string
			status int
		}{{"{}", 400}, {"no JSON", 400}, {whole, 200}, {`{"model":` + netModel + `,"findings":[],"files":[],"maxPatches":99}`, 422}, {fixRequest(""), 422}, {whole, 200}, {whole, 429}, {fixRequest(""), 429}, {"{}", 400}} {
			got := s.call(t, "POST", "/api/v1/fix", o.key, c.body)
			if got.status != c.status {
				t.Errorf("call %d: %d, want %d: %s", i, got.status, c.status, got.body)
			}
			if got.status == 429 && (got.json(t, "code") != "agent-messages" || got.json(t, "limit") != 3.0 || got.json(t, "used") != 3.0 || got.json(t, "resetsAt") == nil || got.header.Get("Retry-After") == "") {
				t.Errorf("%s %v", got.body, got.header)
			}
		}
		if got := s.call(t, "POST", "/api/v1/fix", other.key, whole); got.status != 200 {
			t.Errorf("another organisation: %d %s", got.status, got.body)
		}
		if got := s.call(t, "POST", "/api/v1/check", o.key, request("", 3)); got.status != 200 {
			t.Errorf("another action: %d %s", got.status, got.body)
		}
	})
}

// TestASlowProviderIsWaitedFor has the provider take longer than the server gives a response, and reads in between.
func TestASlowProviderIsWaitedFor(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(1500 * time.Millisecond)
		saying(tanh(""))(w, r)
	}
	s := start(t, accounttest.SQLite(t), providing(t, slow), func(c *hostedapi.Config) { c.Limits.Write, c.Limits.Read = time.Second, time.Second })
	o := s.tenant(t, "Alpha")
	if got := s.call(t, "POST", "/api/v1/fix", o.key, fixRequest("")); got.status != 200 || !strings.Contains(got.body, `"proved":true`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.call(t, "POST", "/api/v1/check", o.key, request("", 3)); got.status != 200 {
		t.Errorf("the connection afterwards: %d %s", got.status, got.body)
	}
}

// TestACallerWhoLeavesEndsTheQuestion, and the place that it took is free again.
func TestACallerWhoLeavesEndsTheQuestion(t *testing.T) {
	asked, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	never := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 1<<20))
		asked <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	}
	s := start(t, accounttest.SQLite(t), providing(t, never))
	o := s.tenant(t, "Alpha")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", s.url+"/api/v1/fix", strings.NewReader(fixRequest("")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+o.key)
	done := make(chan error, 1)
	go func() {
		resp, err := client.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		done <- err
	}()
	<-asked
	cancel()
	<-ended
	if err := <-done; err == nil {
		t.Error("an answer came")
	}
}

// TestOnlySoManyAreMendedAtOnce holds the provider's answers back.
func TestOnlySoManyAreMendedAtOnce(t *testing.T) {
	asked, release := make(chan struct{}, 64), make(chan struct{})
	wait := func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-release
		saying(tanh(""))(w, r)
	}
	s := start(t, accounttest.SQLite(t), providing(t, wait))
	o := s.tenant(t, "Alpha")
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if got := s.call(t, "POST", "/api/v1/fix", o.key, fixRequest("")); got.status != 200 {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	for range 16 {
		<-asked
	}
	if got := s.call(t, "POST", "/api/v1/fix", o.key, fixRequest("")); got.status != 503 || got.json(t, "code") != "overloaded" || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.call(t, "POST", "/api/v1/check", o.key, request("", 3)); got.status != 200 {
		t.Errorf("others are kept out: %d %s", got.status, got.body)
	}
	close(release)
	group.Wait()
}
