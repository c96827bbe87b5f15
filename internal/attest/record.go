// Package attest is the record of one pre-check: an in-toto Statement v1 with a test-result v0.1 predicate and one extension, its
// bytes, its JSON schema, what must hold in it beyond the schema, and its signature in a DSSE envelope or a Sigstore bundle.
//
// It must not know files, the clock, chance or the command line: the same run of the same model gives the same bytes everywhere. What
// reads the model is package manifest.
package attest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// The constants of the formats that a record is made of.
const (
	StatementType    = "https://in-toto.io/Statement/v1"
	PredicateType    = "https://in-toto.io/attestation/test-result/v0.1"
	SigningPredicate = "https://model_signing/signature/v1.0" // whose manifest the subjects are
	PayloadType      = "application/vnd.in-toto+json"
)

// The results of a run.
const (
	Passed = "PASSED"
	Warned = "WARNED"
	Failed = "FAILED"
)

// The kinds of models.
const (
	Directory  = "directory"
	Hub        = "hub"
	SingleFile = "file"
)

// Statement is the record. Members are written in this order.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"` // the model, then each of its files
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// Subject is the model or a file of it.
type Subject struct {
	Name   string    `json:"name"`
	Digest DigestSet `json:"digest"`
}

// DigestSet holds a digest. Others that a record has are ignored.
type DigestSet struct {
	SHA256 string `json:"sha256"`
}

// Predicate is the result of the run.
type Predicate struct {
	Result        string       `json:"result"`
	Configuration []Descriptor `json:"configuration"` // the tool, the files and modules of the rule set, then the files that the run read
	URL           string       `json:"url,omitempty"`
	PassedTests   []string     `json:"passedTests"`
	WarnedTests   []string     `json:"warnedTests"`
	FailedTests   []string     `json:"failedTests"`
	Precheck      Precheck     `json:"verifierPrecheck"`
}

// Descriptor names what decided a verdict.
type Descriptor struct {
	Name        string       `json:"name,omitempty"`
	URI         string       `json:"uri,omitempty"`
	Digest      *DigestSet   `json:"digest,omitempty"`
	Annotations *Annotations `json:"annotations,omitempty"`
}

// Annotations tell what a run read from what the tool is made of.
type Annotations struct {
	Role string `json:"role"`
}

// RoleInput is the role of a file that the run read beside the model: the policy, the baseline, the source, the data.
const RoleInput = "input"

// Precheck is what only this tool writes.
type Precheck struct {
	Schema        string          `json:"schema"`
	Command       string          `json:"command"`
	Model         string          `json:"model"`
	Argv          []string        `json:"argv"`
	Tool          Tool            `json:"tool"`
	ExitCode      int             `json:"exitCode"`
	Verdicts      json.RawMessage `json:"verdicts"` // report.Verdicts
	Findings      []Finding       `json:"findings"`
	SubjectSource SubjectSource   `json:"subjectSource"`
	Time          string          `json:"time,omitempty"`
}

// Tool is the program.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Finding is a finding of the run.
type Finding struct {
	Rule      string         `json:"rule"`
	Checker   string         `json:"checker"`
	Severity  rules.Severity `json:"severity"`
	Title     string         `json:"title"`
	Effective rules.Severity `json:"effective,omitempty"`
	Gates     *bool          `json:"gates,omitempty"`
	Waived    bool           `json:"waived,omitempty"`
	Baseline  string         `json:"baseline,omitempty"`
}

// SubjectSource is where the subjects come from.
type SubjectSource struct {
	Kind                      string        `json:"kind"`
	ModelName                 string        `json:"modelName"`
	Repo                      string        `json:"repo,omitempty"`
	Revision                  string        `json:"revision,omitempty"`
	Serialization             Serialization `json:"serialization"`
	ModelSigningPredicateType string        `json:"modelSigningPredicateType"`
	RootDigest                DigestSet     `json:"rootDigest"`
	Files                     int           `json:"files"`
}

// Serialization is how model signing describes the same manifest.
type Serialization struct {
	Method        string   `json:"method"`
	HashType      string   `json:"hash_type"`
	AllowSymlinks bool     `json:"allow_symlinks"`
	IgnorePaths   []string `json:"ignore_paths"`
}

// Digest writes a digest as a record does.
func (s Sum) Digest() DigestSet { return DigestSet{hex.EncodeToString(s[:])} }

// Sum reads the digest. It is that of a record that keeps the schema.
func (d DigestSet) Sum() (Sum, bool) {
	var out Sum
	n, err := hex.Decode(out[:], []byte(d.SHA256))
	return out, err == nil && n == len(out) && strings.ToLower(d.SHA256) == d.SHA256
}

// Encode writes a record: indented by two spaces, with one newline behind it.
func (s *Statement) Encode() ([]byte, error) { return encode(s) }

// Encode writes the predicate alone, for tools that make the statement themselves.
func (p *Predicate) Encode() ([]byte, error) { return encode(p) }

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// text refuses what JSON cannot hold: the encoder would write another character in its place.
func text(what, s string) error {
	if !utf8.ValidString(s) {
		return action.Errorf(action.CodeForm, what, "is %q, which is not UTF-8, so no record can hold it", s)
	}
	return nil
}

// Schema is the address of the record's schema.
const Schema = report.SchemaURL
