// Command lines answers requests, one on each line of standard input, as cmd/verifier-wasm/node.mjs does. The tests of conformance build
// it for other processors: it is the engine and little else, where their own binary would bring databases along.
package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/modelverifier/verifier/internal/wasm"
)

func main() {
	d, e := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var request struct {
			Action string `json:"action"`
			Body   string `json:"body"`
		}
		if err := d.Decode(&request); err == io.EOF {
			return
		} else if err != nil {
			fail(err)
		}
		var answer struct {
			Status int    `json:"status"`
			Body   string `json:"body"`
		}
		answer.Status, answer.Body = wasm.Action(request.Action, request.Body)
		if err := e.Encode(answer); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	_, _ = os.Stderr.WriteString(err.Error() + "\n")
	os.Exit(1)
}
