package client

import (
	"errors"
	"io"
	"net/http"
	"testing"
)

func TestFixReturnsWhatWasMendedAlsoWithAnError(t *testing.T) {
	const patches = `"patches":[{"path":"a.py","diff":"d","findingTitles":["t"],"proved":true}],"rationale":"r"`
	c, seen := serve(t, say(200, `{`+patches+`,"model":"verifier"}`))
	got, err := c.Fix(t.Context(), []byte(`{"model":{}}`))
	if err != nil || got.Model != "verifier" || len(got.Patches) != 1 || !got.Patches[0].Proved || got.Patches[0].FindingTitles[0] != "t" || got.Rationale != "r" {
		t.Errorf("%+v %v", got, err)
	}
	if r := (*seen)[0]; r.Method != http.MethodPost || r.URL.Path != "/api/v1/fix" || r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%+v", r)
	}
	for _, status := range []int{422, 503} {
		c, _ := serve(t, say(status, `{"error":"provider unavailable","code":"provider-unavailable",`+patches+`}`, "Retry-After", "9"))
		got, err := c.Fix(t.Context(), []byte("{}"))
		e := (*Error)(nil)
		if !errors.As(err, &e) || e.Status != status || e.Code != "provider-unavailable" || e.RetryAfter != "9" || len(got.Patches) != 1 {
			t.Errorf("%d: %+v %v", status, got, err)
		}
	}
	c, _ = serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "no JSON") })
	if _, err := c.Fix(t.Context(), []byte("{}")); err == nil {
		t.Error("what is no answer is taken for one")
	}
}
