package attest

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
)

const policyKey = policy.CodeKey // unknown-key

// Form is how a record was found.
type Form string

// The forms.
const (
	Plain    Form = "statement"
	Envelope Form = "dsse"
	Bundle   Form = "bundle"
)

// Record is a record as it was read.
type Record struct {
	Form       Form
	Payload    []byte // the statement's bytes
	Statement  *Statement
	Signatures []Signature // over the payload, of an envelope or a bundle
}

// Parse reads a record in any of its forms and holds it against the schema. Nothing in it is taken as true for that: Check, and the
// comparison with a model, come behind.
func Parse(data []byte) (*Record, error) {
	n, err := read(data)
	if err != nil {
		return nil, err
	}
	r := &Record{Form: Plain, Payload: data}
	if n.member("payload") != nil || n.member("dsseEnvelope") != nil {
		if err := r.open(n); err != nil {
			return nil, err
		}
		if n, err = read(r.Payload); err != nil {
			return nil, fmt.Errorf("payload: %w", err)
		}
	}
	if err := conforms(n, schema, ""); err != nil {
		return nil, err
	}
	r.Statement = &Statement{}
	// Names are compared letter by letter: a member Subject beside subject is one that is not known.
	if err := json.Unmarshal(r.Payload, r.Statement); err != nil {
		return nil, action.Errorf(graph.CodeType, "", "cannot be read: %v", err)
	}
	return r, nil
}

// IsOurs reports whether bytes are a record, or the predicate of one: what a later run may put another in the place of.
func IsOurs(data []byte) bool {
	if _, err := Parse(data); err == nil {
		return true
	}
	n, err := read(data)
	if err != nil {
		return false
	}
	schemaOf := n.member("verifierPrecheck").member("schema")
	return schemaOf != nil && schemaOf.text == Schema
}
