package llm

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// format is one wire format.
type format struct {
	public string // base address of who made it
	path   string // behind the base
	sign   func(h http.Header, key string)
	encode func(c Config, q Question) ([]byte, error)
	decode func(body []byte) (Answer, error)
	kind   func(body []byte) string // the word for an error in its body; empty: none
}

// formats are all of them; messages.go and chat.go add theirs.
var formats = map[string]format{}

func define(name string, f format) struct{} {
	formats[name] = f
	return struct{}{}
}

// Formats lists their names.
func Formats() []string {
	var all []string
	for name := range formats {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// garbled is the error of an answer that is not of the format.
func garbled(what string) error { return &Error{Status: http.StatusOK, text: "its answer " + what} }

// errorBody is what both formats write where something is wrong: {"error": {"type": …}}, with more around it.
type errorBody struct {
	Error struct {
		Type string `json:"type"`
	} `json:"error"`
}

// kindMost is how long a word for an error may be.
const kindMost = 60

// errorKind reads the word for an error. Only a word is taken: a sentence might repeat the key or what was asked.
func errorKind(body []byte) string {
	var e errorBody
	if json.Unmarshal(body, &e) != nil || len(e.Error.Type) > kindMost {
		return ""
	}
	if strings.ContainsFunc(e.Error.Type, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		return ""
	}
	return e.Error.Type
}

// message is one turn of a conversation, in both formats.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}
