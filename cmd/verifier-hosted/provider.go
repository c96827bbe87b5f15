package main

import (
	"errors"
	"time"

	"github.com/modelverifier/verifier/internal/llm"
)

// provider is the language model that fix asks; nil where none is configured. No error holds the key.
func provider(value func(string) string, number func(string, int64, int64) int64) (*llm.Client, error) {
	c := llm.Config{Format: value("provider-format"), URL: value("provider-url"), Model: value("provider-model")}
	c.MaxTokens = int(number("provider-tokens", 1, 1<<20))
	var err error
	if c.Timeout, err = time.ParseDuration(value("provider-timeout")); err != nil || c.Timeout < time.Second || c.Timeout > 10*time.Minute {
		return nil, errors.New("--provider-timeout must be from 1s to 10m")
	}
	if c.Format == "" {
		if c.URL != "" || c.Model != "" || value("provider-key-file") != "" {
			return nil, errors.New("is not given, but --provider-url, --provider-model or --provider-key-file is; it must be one of chat, messages")
		}
		return nil, nil
	}
	key, err := secret(value, "provider-key")
	if err != nil {
		return nil, err
	}
	c.Key = llm.NewKey(key)
	return llm.New(c)
}
