package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/attest"
)

const (
	repository = "https://github.com/modelverifier/verifier"
	// provenanceType is SLSA's: https://slsa.dev/spec/v1.0/provenance.
	provenanceType = "https://slsa.dev/provenance/v1"
)

// statement is an in-toto statement with the provenance of the release as its predicate.
type statement struct {
	Type          string           `json:"_type"`
	Subject       []attest.Subject `json:"subject"`
	PredicateType string           `json:"predicateType"`
	Predicate     provenance       `json:"predicate"`
}

type provenance struct {
	BuildDefinition buildDefinition `json:"buildDefinition"`
	RunDetails      runDetails      `json:"runDetails"`
}

type buildDefinition struct {
	BuildType            string             `json:"buildType"`
	ExternalParameters   externalParameters `json:"externalParameters"`
	ResolvedDependencies []resource         `json:"resolvedDependencies"`
}

// externalParameters are what whoever builds decides.
type externalParameters struct {
	Source    string   `json:"source"`
	Ref       string   `json:"ref"`
	Platforms []string `json:"platforms"`
}

// resource is in-toto's ResourceDescriptor.
type resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri"`
	Digest map[string]string `json:"digest,omitempty"`
}

type runDetails struct {
	Builder builder `json:"builder"`
}

type builder struct {
	ID      string            `json:"id"`
	Version map[string]string `json:"version"`
}

// provenance says how each file came about. It has no time and no host, so that who builds the commit again gets the same bytes.
func (r *release) provenance() error {
	s, err := r.statement()
	if err != nil {
		return err
	}
	data, err := encode(s)
	if err != nil {
		return err
	}
	name := filepath.Join(r.out, "verifier_"+r.number()+".intoto.json")
	if err := os.WriteFile(name, data, 0o644); err != nil || r.key == "" {
		return err
	}
	key, err := os.ReadFile(r.key)
	if err != nil {
		return err
	}
	signer, err := attest.ParsePrivateKey(key)
	if err != nil {
		return fmt.Errorf("%s %w", r.key, err)
	}
	signed, err := signer.Sign(data, attest.Envelope)
	if err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(name, ".json")+".dsse.json", signed, 0o644)
}

func (r *release) statement() (*statement, error) {
	names, err := r.published()
	if err != nil {
		return nil, err
	}
	s := &statement{Type: attest.StatementType, PredicateType: provenanceType}
	for _, name := range names {
		sum, err := digest(filepath.Join(r.out, name))
		if err != nil {
			return nil, err
		}
		s.Subject = append(s.Subject, attest.Subject{Name: name, Digest: attest.DigestSet{SHA256: sum}})
	}
	resolved, err := r.resolved()
	if err != nil {
		return nil, err
	}
	page := repository + "/blob/" + r.version + "/docs/release.md"
	s.Predicate.BuildDefinition = buildDefinition{
		BuildType:            page + "#build-type",
		ExternalParameters:   externalParameters{Source: "git+" + repository, Ref: "refs/tags/" + r.version, Platforms: r.platforms},
		ResolvedDependencies: resolved,
	}
	s.Predicate.RunDetails.Builder = builder{ID: page + "#builder", Version: map[string]string{"go": r.built[0].info.GoVersion}}
	return s, nil
}

// resolved are the source, and the modules of others that are linked into one of the programs.
func (r *release) resolved() ([]resource, error) {
	out := []resource{{URI: "git+" + repository + "@refs/tags/" + r.version, Digest: map[string]string{"gitCommit": r.commit}}}
	modules := map[string]*debug.Module{}
	for _, p := range r.built {
		for _, m := range p.info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			modules[packageURL(m.Path, m.Version)] = m
		}
	}
	for _, url := range slices.Sorted(maps.Keys(modules)) {
		sum, err := dirHash(modules[url].Sum)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", url, err)
		}
		out = append(out, resource{Name: modules[url].Path, URI: url, Digest: map[string]string{"dirHash": sum}})
	}
	return out, nil
}

// dirHash is a digest of go.sum as in-toto writes it: in hex, without h1 (in-toto's DigestSet v1.1, dirHash).
func dirHash(sum string) (string, error) {
	text, ok := strings.CutPrefix(sum, "h1:")
	if !ok {
		return "", fmt.Errorf("%q is no digest of go.sum", sum)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	return hex.EncodeToString(data), err
}
