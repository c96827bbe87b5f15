package mcp_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

const tableRows = `{"components":[{"id":"x","type":"input","params":{"shape":[30]}},{"id":"fc","type":"linear","params":{"inFeatures":30,"outFeatures":2}},{"id":"y","type":"output"}],"connections":[{"from":"x","to":"fc"},{"from":"fc","to":"y"}]}`

// TestTrainAndJobCallTheHostedService runs the real service with a worker that offers a processor.
func TestTrainAndJobCallTheHostedService(t *testing.T) {
	s := httptest.NewUnstartedServer(nil)
	url := "http://" + s.Listener.Addr().String()
	st := accounttest.Open(t, accounttest.SQLite(t))
	bucket, err := blob.Open(t.Context(), t.TempDir(), blob.Signer{Secret: []byte(strings.Repeat("s", 32)), Base: url})
	if err != nil {
		t.Fatal(err)
	}
	service := &jobs.Service{Store: st.Jobs(), Blobs: bucket, Clock: time.Now, Server: url}
	h, err := hostedapi.New(hostedapi.Config{Build: httpapi.Build{Name: "verifier-hosted", Version: "test"}, Limits: httpapi.Defaults(), Store: st, PublicURL: url,
		Hasher: accounttest.Hasher(t), Log: slog.New(slog.DiscardHandler), Jobs: service})
	if err != nil {
		t.Fatal(err)
	}
	org, owner, _ := accounttest.Found(t, h.Accounts, "Alpha", "owner@alpha.example")
	_, key, err := h.Accounts.CreateKey(t.Context(), org, owner.ID, "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Config.Handler = h
	s.Start()
	defer s.Close()

	c := connect(t, folder(t), nil, "--server", url, "--api-key", key)
	listing, err := c.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas := outputs(t, listing.Tools)
	for _, tool := range listing.Tools {
		books, calls := slices.Contains([]string{"train", "job"}, tool.Name), slices.Contains([]string{"train", "job", "history"}, tool.Name)
		if calls != *tool.Annotations.OpenWorldHint || books == tool.Annotations.ReadOnlyHint {
			t.Errorf("%s: %+v", tool.Name, tool.Annotations)
		}
	}
	if r := call(t, c, "train", `{"dataset":"tabular","model":`+tableRows+`}`); !r.failed || !strings.Contains(r.text, "verifier-worker") {
		t.Errorf("nobody to run it: %s", r.text)
	}
	token, err := service.AddWorker(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	w, err := service.Worker(t.Context(), token)
	if err == nil {
		_, err = service.Lease(t.Context(), w, protocol.Offer{CPU: true, Datasets: []string{"tabular", "mnist"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	sent := call(t, c, "train", `{"dataset":"tabular","config":{"epochs":2},"source":{"repo":"lab/nets"},"model":`+tableRows+`}`)
	id, _ := sent.body["job_id"].(string)
	if sent.failed || id == "" || !strings.Contains(sent.text, "is queued on workers (cpu)") {
		t.Fatalf("train: %s", sent.text)
	}
	for _, x := range []struct {
		tool, args, says string
		failed           bool
	}{
		{"train", `{"dataset":"mnist","model":` + tableRows + `}`, "blocked, and nothing was booked", false},
		{"train", `{"dataset":"mnits","model":` + tableRows + `}`, "did you mean mnist?", true},
		{"train", `{"dataset":"mnist"}`, "model", true},
		{"history", `{"model":` + tableRows + `}`, ": 0 runs", false}, {"history", `{}`, "model", true},
		{"job", `{}`, id + " queued tabular", false}, {"job", `{"id":"` + id + `"}`, "0 of 2 epochs", false}, {"job", `{"cancel":true}`, "id", true},
		{"job", `{"id":"nobodys"}`, "No such job under this key.", true}, {"job", `{"id":"` + id + `","cancel":true}`, "cancelled", false}, {"job", `{"id":7}`, "a string", true},
	} {
		r := call(t, c, x.tool, x.args)
		if r.failed != x.failed || !strings.Contains(r.text, x.says) || strings.Contains(r.text, key) {
			t.Errorf("%s %.80s: failed %v, %s", x.tool, x.args, r.failed, r.text)
		}
		if err := schemas[x.tool].Validate(r.body); err != nil && !x.failed {
			t.Errorf("%s %.80s: %v", x.tool, x.args, err)
		}
	}
}
