//go:build js && wasm

// Command verifier-files-wasm opens and writes files for JavaScript. It sets one global function, verifierFiles.action(name, body), which takes two
// strings and returns { status, body }, and keeps running for further calls.
package main

import (
	"syscall/js"

	"github.com/modelverifier/verifier/internal/files"
)

func main() {
	action := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 2 || args[0].Type() != js.TypeString || args[1].Type() != js.TypeString {
			return map[string]any{"status": 400, "body": `{"error":"verifierFiles.action takes the name of an action and the text of a request","code":"wrong-type"}`}
		}
		status, body := files.Action(args[0].String(), args[1].String())
		return map[string]any{"status": status, "body": body}
	})
	js.Global().Set("verifierFiles", map[string]any{"action": action})
	select {}
}
