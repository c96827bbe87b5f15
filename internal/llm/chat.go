package llm

import (
	"encoding/json"
	"net/http"
)

// Chat Completions: https://platform.openai.com/docs/api-reference/chat/create. The base address ends in /v1, as in OpenAI's own
// libraries.
var _ = define("chat", format{
	public: "https://api.openai.com/v1",
	path:   "/chat/completions",
	sign: func(h http.Header, key string) {
		if key != "" {
			h.Set("Authorization", "Bearer "+key)
		}
	},
	encode: func(c Config, q Question) ([]byte, error) {
		return json.Marshal(chatRequest{Model: c.Model, Messages: []message{{"system", q.System}, {"user", q.User}}, MaxCompletionTokens: c.MaxTokens})
	},
	decode: decodeChat,
	kind:   errorKind,
})

type chatRequest struct {
	Model               string    `json:"model"`
	Messages            []message `json:"messages"`
	MaxCompletionTokens int       `json:"max_completion_tokens"` // max_tokens is deprecated, and refused by newer models
}

// decodeChat takes the first choice; one was asked for.
func decodeChat(body []byte) (Answer, error) {
	var m struct {
		Model   string `json:"model"`
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content *string `json:"content"`
				Refusal *string `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(body, &m) != nil || len(m.Choices) == 0 {
		return Answer{}, garbled("is no chat completion")
	}
	c := m.Choices[0]
	if c.FinishReason == "content_filter" || c.Message.Refusal != nil && *c.Message.Refusal != "" {
		return Answer{}, garbled("is a refusal of the model")
	}
	if c.Message.Content == nil {
		return Answer{}, garbled("has no text")
	}
	return Answer{Text: *c.Message.Content, Model: m.Model, Cut: c.FinishReason == "length"}, nil
}
