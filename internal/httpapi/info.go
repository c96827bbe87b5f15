package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/modelverifier/verifier/internal/ruleset"
)

// Version is the body of GET /version.
type Version struct {
	Name    string           `json:"name"`
	Version string           `json:"version"`
	Commit  string           `json:"commit"`
	RuleSet string           `json:"ruleSet"`
	Bundles []ruleset.Bundle `json:"bundles"`
}

// Health is the body of GET /healthz.
type Health struct {
	Status    string `json:"status"`
	Telemetry string `json:"telemetry"` // on or off
}

// Preview is the body of GET /metrics/preview. Endpoint is null where nothing is sent.
type Preview struct {
	Mode     string          `json:"mode"`
	Endpoint *string         `json:"endpoint"`
	Payload  json.RawMessage `json:"payload"`
}

// version digests the executable when it is first asked, because most processes never are.
func (s *Server) version() func() Reply {
	return sync.OnceValue(func() Reply {
		bundles := ruleset.Bundles()
		if sum, err := digest(s.Build.Executable); err == nil {
			bundles = append(bundles, ruleset.Bundle{Name: s.Build.Name, SHA256: sum})
		}
		return Reply{status: http.StatusOK, body: &Version{s.Build.Name, s.Build.Version, s.Build.Commit, ruleset.ID(), bundles}}
	})
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// openAPI is the one JSON response whose hosted_only has another name, because OpenAPI allows no other additions.
func (s *Server) openAPI() Reply {
	return Reply{status: http.StatusOK, body: s.Document(), bare: true}
}

func (s *Server) health() Reply {
	return Reply{status: http.StatusOK, body: &Health{"ok", s.Telemetry.Mode()}}
}

func (s *Server) preview() Reply {
	out := &Preview{Mode: s.Telemetry.Mode(), Payload: s.Counts.Unsent()}
	if s.Telemetry.On() {
		out.Endpoint = &s.Telemetry.URL
	}
	return Reply{status: http.StatusOK, body: out}
}
