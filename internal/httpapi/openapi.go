package httpapi

import (
	_ "embed" // for the schemas of requests
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
)

// requestSchemas are written by hand: requests are read by code and not into types.
//
//go:embed openapi_requests.json
var requestSchemas []byte

// Document is the OpenAPI 3.1 document of the server, without hosted_only: what it has instead is named as OpenAPI asks.
func (s *Server) Document() any {
	components := requestComponents()
	components["HostedOnly"] = object{"type": "object", "required": []string{"hosted_only"}, "properties": object{
		"hosted_only": object{"type": "array", "items": object{"type": "string"}, "description": "What only the hosted service can do."}}}
	paths := object{
		"/version":         object{"get": operation("version", "The program, its files and the rule set", nil, components.answer(reflect.TypeFor[Version]()), false)},
		"/healthz":         object{"get": operation("healthz", "Liveness, and the mode of telemetry", nil, components.answer(reflect.TypeFor[Health]()), false)},
		"/metrics/preview": object{"get": operation("metricsPreview", "Exactly what a telemetry send would contain", nil, components.answer(reflect.TypeFor[Preview]()), false)},
		"/metrics":         object{"get": operation("metrics", "Counters for Prometheus", nil, object{"text/plain": object{"schema": object{"type": "string"}}}, false)},
		"/openapi.json":    object{"get": operation("openapi", "This document", nil, object{"application/json": object{"schema": object{"type": "object"}}}, false)},
	}
	for _, a := range s.Config.Actions {
		if a.Result == nil {
			continue
		}
		body := object{"required": true, "content": object{
			"application/json": object{"schema": ref(strings.ToUpper(a.Name[:1]) + a.Name[1:] + "Request")},
			lineType:           object{"schema": object{"type": "string", "description": "One such request on each line. The answer has one line for each, in the same order."}}}}
		paths[a.Path] = object{"post": operation(a.Name, "The action "+a.Name, body, components.answer(a.Result), true)}
	}
	components.of(reflect.TypeFor[action.ErrorBody]())
	return object{
		"openapi":       "3.1.0",
		"info":          object{"title": "Model Verifier, self-hosted", "version": s.Build.Version, "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"paths":         paths,
		"components":    object{"schemas": components},
		"x-hosted_only": HostedOnly,
	}
}

func requestComponents() schemas {
	components := schemas{}
	if err := json.Unmarshal(requestSchemas, &components); err != nil {
		panic("httpapi: openapi_requests.json: " + err.Error()) // cannot happen: the file is part of the program
	}
	return components
}

// Components are the schemas of requests, refusals and answers, for the document of another edition, which may have types of its
// own. The name of a type is that of its package and its own.
func Components(own ...reflect.Type) map[string]any {
	components := requestComponents()
	for _, a := range Actions() {
		components.of(a.Result)
	}
	for _, t := range append(own, reflect.TypeFor[action.ErrorBody]()) {
		components.of(t)
	}
	return components
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// answer is the content of a JSON response: a type, and hosted_only.
func (s schemas) answer(t reflect.Type) object {
	return object{"application/json": object{"schema": object{"allOf": []any{s.of(t), ref("HostedOnly")}}}}
}

// refusals are the statuses that an action can have beside 200.
var refusals = []int{400, 408, 413, 415, 422, 500, 503}

func operation(id, summary string, body, content object, isAction bool) object {
	failed := object{"application/json": object{"schema": object{"allOf": []any{ref("action.ErrorBody"), ref("HostedOnly")}}}}
	responses := object{
		"200":     object{"description": "The answer.", "content": content},
		"default": object{"description": "A refusal that says what is wrong.", "content": failed},
	}
	out := object{"operationId": id, "summary": summary, "responses": responses}
	if isAction {
		out["requestBody"] = body
		for _, status := range refusals {
			responses[strconv.Itoa(status)] = object{"description": http.StatusText(status), "content": failed}
		}
		responses["422"] = object{"description": http.StatusText(http.StatusUnprocessableEntity) + ". An answer of more than " + strconv.Itoa(wire.MaxBytes>>20) + " MiB is refused too, with the code " + action.CodeAnswer + ".",
			"content": failed}
	}
	return out
}
