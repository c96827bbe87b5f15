package hostedapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/fix"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/training"
)

// object is a JSON object of the document.
type object = map[string]any

// operation is one method of a path, as the document tells it.
type operation struct {
	method, path, id, summary string
	key                       string // needed, optional or none
	request                   string // schema of the body; empty: it has none
	result                    reflect.Type
	other                     reflect.Type // a second form of the answer; nil: there is none
	refusals                  []int
	bodies                    map[int][]reflect.Type // of refusals that have another one than the usual
	parameter                 string                 // of the query or, where the path names it, of the path
	options                   []string               // further ones of the query, which may be left out
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
	return append(out,
		operation{method: "get", path: prefix + "history", id: "history", summary: "Outcomes of a structure, newest first", key: keyNeeded, result: reflect.TypeFor[rows](), refusals: []int{400, 422}, parameter: "fingerprint"},
		operation{method: "post", path: prefix + "history", id: "recordOutcome", summary: "Keeps an outcome that was measured", key: keyNeeded, request: "OutcomeRequest", result: reflect.TypeFor[written](), refusals: read},
		operation{method: "get", path: prefix + "report", id: "report", summary: "The anonymous corpus in numbers", key: keyNone, result: reflect.TypeFor[corpus.Report]()},
		operation{method: "post", path: prefix + "train", id: "train", summary: "Submits a training run", key: keyNeeded, request: "TrainRequest", result: reflect.TypeFor[train.Result](),
			refusals: append([]int{403}, read...), bodies: trainRefusals},
		operation{method: "get", path: prefix + "train", id: "trainingJob", summary: "A training job or, without one, the organisation's jobs, newest first", key: keyNeeded,
			result: reflect.TypeFor[train.Job](), other: reflect.TypeFor[train.Page](), refusals: []int{404}, bodies: noSuchJob, options: []string{"job", "after"}},
		operation{method: "delete", path: prefix + "train", id: "cancelTrainingJob", summary: "Cancels a training job", key: keyNeeded, result: reflect.TypeFor[train.Job](),
			refusals: []int{404}, bodies: noSuchJob, parameter: "job"},
		operation{method: "post", path: prefix + "fix", id: "fix", summary: "Changes of files that mend findings, as unified diffs; each call is one agent message", key: keyNeeded, request: "FixRequest",
			result: reflect.TypeFor[fix.Result](), refusals: read, bodies: fixRefusals},
		operation{method: "delete", path: prefix + "plans/{id}", id: "removePlan", summary: "Removes a shared plan, with a key of its organisation or the secret that was given with it", key: keyNeeded,
			result: reflect.TypeFor[removed](), refusals: []int{404}, parameter: "id"},
	)
}

// The bodies of refusals that the specification writes otherwise than all others.
var (
	bare          = reflect.TypeFor[bareError]()
	usual         = reflect.TypeFor[action.ErrorBody]()
	noSuchJob     = map[int][]reflect.Type{404: {bare}}
	trainRefusals = map[int][]reflect.Type{403: {reflect.TypeFor[limited]()}, 422: {reflect.TypeFor[train.Blocked](), usual}, 429: {reflect.TypeFor[limited](), usual}, 503: {bare, usual}}
)

// fixRefusals carry what was mended without a provider.
var fixRefusals = map[int][]reflect.Type{422: {reflect.TypeFor[fix.Failure](), usual}, 429: {reflect.TypeFor[limited](), usual}, 503: {reflect.TypeFor[fix.Failure](), usual}}

// types are those of a document's answers.
func (o *operation) types() []reflect.Type {
	all := []reflect.Type{o.result}
	if o.other != nil {
		all = append(all, o.other)
	}
	for _, status := range slices.Sorted(maps.Keys(o.bodies)) {
		all = append(all, o.bodies[status]...)
	}
	return all
}

// Document is the OpenAPI 3.1 document of the service.
func Document(publicURL, version string) []byte {
	paths, types := object{}, []reflect.Type{}
	for _, o := range operations() {
		types = append(types, o.types()...)
		if paths[o.path] == nil {
			paths[o.path] = object{}
		}
		paths[o.path].(object)[o.method] = o.describe()
	}
	components := httpapi.Components(types...)
	components["OutcomeRequest"], components["TrainRequest"], components["FixRequest"] = outcomeSchema, trainSchema(), fixSchema()
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

// trainSchema is what POST /train takes. A config is clamped and not validated, so that any value may stand there.
func trainSchema() object {
	return object{"type": "object", "required": []string{"model", "dataset"}, "properties": object{
		"model": object{"$ref": "#/components/schemas/Graph"}, "dataset": object{"enum": training.DatasetNames()},
		"gpu":    object{"type": []string{"string", "null"}, "description": strings.Join(train.Cards(), ", ") + "; left out: the cheapest that holds the run and can be had."},
		"config": object{"description": "epochs from 1 to 20, batchSize from 8 to 512, lr from 1e-5 to 1, optimizer adam, adamw or sgd. Clamped: what is of another type is left at its default, and other keys are dropped."},
		"source": object{"type": []string{"object", "null"}, "additionalProperties": false, "properties": object{"repo": object{"type": "string", "maxLength": 150}, "pr": object{"type": "integer", "minimum": 1}}}}}
}

// fixSchema is what POST /fix takes.
func fixSchema() object {
	word := object{"type": "string", "maxLength": fix.MaxWordBytes}
	return object{"type": "object", "required": []string{"model", "findings", "files"}, "properties": object{
		"model": object{"$ref": "#/components/schemas/Graph"},
		"findings": object{"type": "array", "maxItems": fix.MaxFindings, "description": "What to mend, as check gives it; an empty list stands for all that blocks.",
			"items": object{"type": "object", "properties": object{"title": word, "detail": word, "stage": word}}},
		"files": object{"type": "array", "maxItems": fix.MaxFiles, "items": object{"type": "object", "additionalProperties": false, "required": []string{"path", "text"}, "properties": object{
			"path": object{"type": "string", "description": "Relative, with / between folders."}, "text": object{"type": "string", "maxLength": fix.MaxFileBytes}}}},
		"policy":     object{"type": []string{"object", "null"}, "description": "What else must hold, as plan takes it."},
		"maxPatches": object{"type": []string{"integer", "null"}, "minimum": 1, "maximum": fix.MostPatches, "default": fix.DefaultMaxPatches},
		"source": object{"type": []string{"object", "null"}, "additionalProperties": false, "description": "Which of the files is the model; left out: it is looked for.",
			"properties": object{"kind": object{"type": "string"}, "target": object{"type": "string"}, "input": object{"type": "string"}}}}}
}

// schema is the content of an answer: one of some types.
func schema(names ...string) object {
	refs := make([]any, len(names))
	for i, name := range names {
		refs[i] = object{"$ref": "#/components/schemas/" + name}
	}
	if len(refs) == 1 {
		return object{"application/json": object{"schema": refs[0]}}
	}
	return object{"application/json": object{"schema": object{"anyOf": refs}}}
}

func (o *operation) describe() object {
	failed := schema(usual.String())
	good := []string{o.result.String()}
	if o.other != nil {
		good = append(good, o.other.String())
	}
	responses := object{"200": object{"description": "The answer.", "content": schema(good...)}, "default": object{"description": "A refusal that says what is wrong.", "content": failed}}
	refusals := append([]int{503}, o.refusals...)
	if o.key != keyNone {
		refusals = append(refusals, http.StatusUnauthorized, http.StatusTooManyRequests)
	}
	for _, status := range refusals {
		content := failed
		if own := o.bodies[status]; own != nil {
			var names []string
			for _, t := range own {
				names = append(names, t.String())
			}
			content = schema(names...)
		}
		responses[strconv.Itoa(status)] = object{"description": http.StatusText(status), "content": content}
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
	if parameters := o.parameters(); parameters != nil {
		out["parameters"] = parameters
	}
	return out
}

// parameters are those of the path and the query.
func (o *operation) parameters() (all []any) {
	if o.parameter != "" {
		in := "query"
		if strings.Contains(o.path, "{") {
			in = "path"
		}
		all = append(all, object{"name": o.parameter, "in": in, "required": true, "schema": object{"type": "string"}})
	}
	for _, name := range o.options {
		all = append(all, object{"name": name, "in": "query", "required": false, "schema": object{"type": "string"}})
	}
	return all
}
