// Package wasm is the surface for a browser or Node: one function from the name of an action and the text of a request to the
// status and the text of the answer. It must not know about JavaScript, so that it can be tested anywhere; cmd/verifier-wasm
// hands it over.
package wasm

import (
	"github.com/modelverifier/verifier/internal/action/all"
	"github.com/modelverifier/verifier/internal/graph"
)

// Action answers a request under the limits of the service: a page that outgrows them would be refused by the server too. A
// fault of our own must not end the page's only instance, so it becomes an answer.
func Action(name, body string) (status int, answer string) {
	defer func() {
		if recover() != nil {
			status, answer = 500, `{"error":"a fault of our own","code":"internal"}`
		}
	}()
	code, bytes := all.Answer(name, []byte(body), graph.ServiceLimits)
	return code, string(bytes)
}
