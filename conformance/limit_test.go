package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/httpapi/wire"
)

// TestAnswersHaveALimit sends a request whose answer names long ids again and again: it is refused whole, with a stable code, and the
// same request with short ids is answered.
func TestAnswersHaveALimit(t *testing.T) {
	s := server(t)
	for _, c := range []struct {
		id     int // bytes
		status int
	}{{10, http.StatusOK}, {1900, http.StatusUnprocessableEntity}} {
		var parts []string
		for i := range 2000 {
			id := strings.Repeat("a", c.id) + fmt.Sprint(i)
			parts = append(parts, fmt.Sprintf(`{"id":%q,"type":"linear","name":%q,"params":{"inFeatures":3.0,"outFeatures":4}}`, id, id))
		}
		resp, data := ask(t, s, "POST", "/v1/check", "application/json", []byte(`{"model":{"components":[`+strings.Join(parts, ",")+`]}}`))
		if resp.StatusCode != c.status || len(data) > wire.MaxBytes+1<<10 || !json.Valid(data) {
			t.Errorf("ids of %d bytes: %d, %d bytes", c.id, resp.StatusCode, len(data))
		}
		var body struct {
			Code  string
			Limit int64
		}
		if err := json.Unmarshal(data, &body); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK && (body.Code != "answer-too-large" || body.Limit != wire.MaxBytes) {
			t.Errorf("%.300s", data)
		}
	}
}
