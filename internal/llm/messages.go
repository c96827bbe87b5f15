package llm

import (
	"encoding/json"
	"net/http"
	"strings"
)

// The Messages API: https://platform.claude.com/docs/en/api/messages.
var _ = define("messages", format{
	public: "https://api.anthropic.com",
	path:   "/v1/messages",
	sign: func(h http.Header, key string) {
		h.Set("Anthropic-Version", messagesVersion)
		if key != "" {
			h.Set("X-Api-Key", key)
		}
	},
	encode: func(c Config, q Question) ([]byte, error) {
		return json.Marshal(messagesRequest{Model: c.Model, MaxTokens: c.MaxTokens, System: q.System, Messages: []message{{"user", q.User}}})
	},
	decode: decodeMessages,
	kind:   errorKind,
})

// messagesVersion is the version of the API; it is named in every request.
const messagesVersion = "2023-06-01"

type messagesRequest struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    string    `json:"system"`
	Messages  []message `json:"messages"`
}

// decodeMessages joins the blocks of text. Blocks of other types, as thinking, are left out.
func decodeMessages(body []byte) (Answer, error) {
	var m struct {
		Type       string `json:"type"`
		Model      string `json:"model"`
		StopReason string `json:"stop_reason"`
		Content    []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(body, &m) != nil || m.Type != "message" {
		return Answer{}, garbled("is no message of the Messages API")
	}
	if m.StopReason == "refusal" {
		return Answer{}, garbled("is a refusal of the model")
	}
	var text strings.Builder
	for _, c := range m.Content {
		if c.Type == "text" {
			text.WriteString(c.Text)
		}
	}
	return Answer{Text: text.String(), Model: m.Model, Cut: m.StopReason == "max_tokens" || m.StopReason == "model_context_window_exceeded"}, nil
}
