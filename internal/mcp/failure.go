package mcp

import (
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench/env"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
)

// The codes of what only this surface refuses.
const (
	codeOutside = "outside-root"
	codeChanged = "model-changed"
	codeBusy    = "edit-under-way"
	codeForm    = "cannot-be-edited"
	codeUnknown = "unknown-name"
)

// refusal is an error of the caller's that only this surface has.
type refusal struct {
	action.ErrorBody
	next string
}

func (r *refusal) Error() string { return r.ErrorBody.Error }

func refuse(code, path, message, next string) *refusal {
	return &refusal{action.ErrorBody{Error: message, Code: code, Path: path}, next}
}

// next says what to do about an error of the service's.
var next = map[string]string{
	graph.CodeSyntax: "Send the graph as a JSON object, not as text inside a string.", graph.CodeMissing: "Add the member that is named; the input schema lists them.",
	graph.CodeType: "Change the value at that path to the type that is named.", graph.CodeDuplicate: "Keep one of the two members.",
	graph.CodeComponents: "Check a part of the model, or use the command line, which takes more.", graph.CodeConnections: "Check a part of the model, or use the command line, which takes more.",
	graph.CodeBytes: "Leave out what is not part of the graph, or use the command line, which takes more.", graph.CodeCandidates: "Rank fewer candidates at once.",
	graph.CodeNotation: "Correct that line; describe and export notation show the form.",
	action.CodeValue:   "Use one of the words that are allowed.", action.CodeRange: "Choose a value within the range.", action.CodeShape: "Give sizes of at least 1, without the batch.",
	graph.CodeDepth: "Flatten the value: no parameter needs so many levels.", policy.CodeKey: "Use one of the keys that are allowed.", action.CodeSameID: "Give every candidate an id of its own.",
	action.CodeNotFound: "Give a path inside the root, or the graph itself as an object.", action.CodeFile: "The file is damaged or not what its name says: give another.",
	env.CodeUnknown: "Begin an episode with bench_episode, and send its name.", env.CodeEnded: "Begin another one with bench_episode.",
	env.CodeFull: "Submit an episode that is open, with bench_step.", env.CodeBusy: "Wait for the answer to the step before.",
	action.CodeUnsupported: "Give the graph itself as an object, or a config.json, ONNX, GGUF or PyTorch file.",
}

const giveModel = "Give a path inside the root, or a graph: an object with components and connections."

// failure is the answer to a call that cannot be served: the body that the service would send, and beside it what to do next.
func failure(err error) *sdk.CallToolResult {
	_, body := env.Explain(err)
	advice := ""
	var own *refusal
	var coded *graph.Error
	switch {
	case errors.As(err, &own):
		body, advice = own.ErrorBody, own.next
	case errors.As(err, &coded):
		advice = next[coded.Code]
		if coded.Path == action.Model && coded.Code == graph.CodeMissing {
			advice = giveModel
		} else if advice == "" {
			advice = "Correct what is named and call again."
		}
	}
	if body.Code == "internal" {
		advice = "Try again with a smaller model, and report it."
	}
	text := body.Error + " [" + body.Code + "]"
	if advice != "" {
		text += "\n" + advice
	}
	raw, marshalErr := encode(body)
	if marshalErr != nil {
		raw = json.RawMessage(`{}`) // strings and numbers can always be written
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: raw}
}

func status(err error) int {
	n, _ := env.Explain(err)
	return n
}

// logFault notes an error that is nobody's but ours.
func (s *Server) logFault(tool string, err error) {
	var own *refusal
	if !errors.As(err, &own) && status(err) >= 500 {
		s.log.Error("a tool failed", "tool", tool, "error", err.Error())
	}
}
