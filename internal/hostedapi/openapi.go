package hostedapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/httpapi"
)

// object is a JSON object of the document.
type object = map[string]any

// operation is one method of a path, as the document tells it.
type operation struct {
	method, path, id, summary string
	key                       string // needed, optional or none
	request                   string // schema of the body; empty: it has none
	result                    reflect.Type
	refusals                  []int
	parameter                 string // of the query or, where the path names it, of the path
}

const (
	keyNeeded   = "needed"
	keyOptional = "optional"
	keyNone     = "none"
)

// read are the refusals of whatever has a body.
var read = []int{400, 408, 413, 415, 422, 500}

func operations() []operation {
	var out []operation
	for _, a := range httpapi.Actions() {
		o := operation{method: "post", path: prefix + a.Name, id: a.Name, summary: "The action " + a.Name, key: keyNeeded, result: a.Result, refusals: read,
			request: strings.ToUpper(a.Name[:1]) + a.Name[1:] + "Request"}
		if a.Name == "plan" {
			o.key = keyOptional
		}
		out = append(out, o)
	}
	nothing := reflect.TypeFor[bareError]() // they only refuse
	return append(out,
		operation{method: "get", path: prefix + "history", id: "history", summary: "Outcomes of a structure, newest first", key: keyNeeded, result: reflect.TypeFor[rows](), refusals: []int{400, 422}, parameter: "fingerprint"},
		operation{method: "post", path: prefix + "history", id: "recordOutcome", summary: "Keeps an outcome that was measured", key: keyNeeded, request: "OutcomeRequest", result: reflect.TypeFor[written](), refusals: read},
		operation{method: "get", path: prefix + "report", id: "report", summary: "The anonymous corpus in numbers", key: keyNone, result: reflect.TypeFor[corpus.Report]()},
		operation{method: "post", path: prefix + "train", id: "train", summary: "Training; no worker is configured", key: keyNeeded, request: "AnyRequest", result: nothing},
		operation{method: "get", path: prefix + "train", id: "trainingJob", summary: "A training job", key: keyNeeded, result: nothing, refusals: []int{404}, parameter: "job"},
		operation{method: "post", path: prefix + "fix", id: "fix", summary: "Edits by a language model; no provider is configured", key: keyNeeded, request: "AnyRequest", result: nothing},
		operation{method: "delete", path: prefix + "plans/{id}", id: "removePlan", summary: "Removes a shared plan, with a key of its organisation or the secret that was given with it", key: keyNeeded,
			result: reflect.TypeFor[removed](), refusals: []int{404}, parameter: "id"},
	)
}

// Document is the OpenAPI 3.1 document of the service.
func Document(publicURL, version string) []byte {
	paths, types := object{}, []reflect.Type{}
	for _, o := range operations() {
		types = append(types, o.result)
		if paths[o.path] == nil {
			paths[o.path] = object{}
		}
		paths[o.path].(object)[o.method] = o.describe()
	}
	components := httpapi.Components(types...)
	components["AnyRequest"] = object{"type": "object"}
	components["OutcomeRequest"] = outcomeSchema
	body, err := json.Marshal(object{
		"openapi": "3.1.0",
		"info":    object{"title": "Model Verifier", "version": version, "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"servers": []any{object{"url": publicURL}},
		"paths":   paths,
		"components": object{"schemas": components, "securitySchemes": object{
			"key": object{"type": "http", "scheme": "bearer", "description": "A key made in Settings, Developer API."}}},
	})
	if err != nil {
		panic("hostedapi: " + err.Error()) // cannot happen: strings, lists and objects can be written
	}
	return body
}

// outcomeSchema is what POST /history takes.
var outcomeSchema = object{"type": "object", "required": []string{"fingerprint", "metric", "value"}, "properties": object{
	"fingerprint": object{"type": "string", "pattern": "^[0-9a-f]{8}$"}, "metric": object{"type": "string"}, "value": object{"type": "number"},
	"epochs": object{"type": "integer"}, "wallSec": object{"type": "number"}, "estCostUsd": object{"type": "number"}, "source": object{"type": "string"},
	"at": object{"type": "string", "format": "date-time"}}}

func (o *operation) describe() object {
	schema := func(name string) object {
		return object{"application/json": object{"schema": object{"$ref": "#/components/schemas/" + name}}}
	}
	failed := schema(reflect.TypeFor[action.ErrorBody]().String())
	responses := object{"200": object{"description": "The answer.", "content": schema(o.result.String())}, "default": object{"description": "A refusal that says what is wrong.", "content": failed}}
	refusals := append([]int{503}, o.refusals...)
	if o.key != keyNone {
		refusals = append(refusals, http.StatusUnauthorized, http.StatusTooManyRequests)
	}
	if o.result == reflect.TypeFor[bareError]() {
		delete(responses, "200")
		failed = schema(o.result.String())
	}
	for _, status := range refusals {
		responses[strconv.Itoa(status)] = object{"description": http.StatusText(status), "content": failed}
	}
	out := object{"operationId": o.id, "summary": o.summary, "responses": responses}
	switch o.key {
	case keyNeeded:
		out["security"] = []any{object{"key": []string{}}}
	case keyOptional:
		out["security"] = []any{object{}, object{"key": []string{}}}
	}
	if o.request != "" {
		out["requestBody"] = object{"required": true, "content": schema(o.request)}
	}
	if o.parameter != "" {
		in := "query"
		if strings.Contains(o.path, "{") {
			in = "path"
		}
		out["parameters"] = []any{object{"name": o.parameter, "in": in, "required": true, "schema": object{"type": "string"}}}
	}
	return out
}
