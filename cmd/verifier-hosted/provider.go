package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/llm"
)

// keyBytes is how long a file with a key may be.
const keyBytes = 4 << 10

// provider is the language model that fix asks; nil where none is configured. No error holds the key.
func provider(value func(string) string, number func(string, int64, int64) int64) (*llm.Client, error) {
	c := llm.Config{Format: value("provider-format"), URL: value("provider-url"), Model: value("provider-model"), Key: llm.NewKey(value("provider-key"))}
	c.MaxTokens = int(number("provider-tokens", 1, 1<<20))
	var err error
	if c.Timeout, err = time.ParseDuration(value("provider-timeout")); err != nil || c.Timeout < time.Second || c.Timeout > 10*time.Minute {
		return nil, errors.New("--provider-timeout must be from 1s to 10m")
	}
	file := value("provider-key-file")
	if c.Format == "" {
		if c.URL != "" || c.Model != "" || file != "" {
			return nil, errors.New("is not given, but --provider-url, --provider-model or --provider-key-file is; it must be one of chat, messages")
		}
		return nil, nil
	}
	if file != "" {
		if value("provider-key") != "" {
			return nil, errors.New("both --provider-key and --provider-key-file are given")
		}
		data, err := fence.Read(file, keyBytes)
		if err != nil {
			return nil, fmt.Errorf("--provider-key-file: %w", err)
		}
		c.Key = llm.NewKey(string(data))
	}
	return llm.New(c)
}
