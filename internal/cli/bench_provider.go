package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/bench/agent"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/llm"
)

// providerKey is the variable with the key of a provider, as the hosted service names it.
const providerKey = "VERIFIER_PROVIDER_KEY"

// providerOptions are the flags that name a language model. A key is no flag: other users of a machine see those.
type providerOptions struct {
	format, url, model, keyFile string
	tokens, tries               int
	timeout                     time.Duration
}

func (o *providerOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.format, "provider", "", "ask a language model in this wire `format`: messages (Anthropic) or chat (OpenAI, and what speaks its API)")
	f.StringVar(&o.url, "provider-url", "", "its base `address`, as in its own libraries; by default that of the format's vendor")
	f.StringVar(&o.model, "provider-model", "", "the `model` to ask")
	f.StringVar(&o.keyFile, "provider-key-file", "", "`file` with the key; by default "+providerKey)
	f.IntVar(&o.tokens, "provider-tokens", llm.DefaultMaxTokens, "most `tokens` of an answer")
	f.DurationVar(&o.timeout, "provider-timeout", llm.DefaultTimeout, "how `long` one answer may take, all attempts together")
	f.IntVar(&o.tries, "tries", 3, "how `often` a model may answer a task; it is shown the verifier's findings on its last answer")
	_ = c.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(llm.Formats(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// agent is the language model that the flags name. The key is in no error.
func (o *providerOptions) agent() (agent.Agent, error) {
	const mostTokens, mostTime = 1 << 20, 10 * time.Minute
	switch {
	case o.tokens < 1 || o.tokens > mostTokens:
		return nil, fmt.Errorf("--provider-tokens is %d but must be from 1 to %d", o.tokens, mostTokens)
	case o.timeout < time.Second || o.timeout > mostTime:
		return nil, errors.New("--provider-timeout must be from 1s to 10m")
	case o.tries < 1 || o.tries > agent.MaxTries:
		return nil, fmt.Errorf("--tries is %d but must be from 1 to %d", o.tries, agent.MaxTries)
	}
	key := os.Getenv(providerKey)
	if o.keyFile != "" {
		const most = 4 << 10
		data, err := fence.Read(o.keyFile, most)
		if err != nil {
			return nil, fmt.Errorf("--provider-key-file: %w", err)
		}
		key = string(data)
	}
	p, err := agent.NewProvider(llm.Config{Format: o.format, URL: o.url, Model: o.model, Key: llm.NewKey(key), MaxTokens: o.tokens, Timeout: o.timeout}, o.tries)
	if err != nil {
		return nil, fmt.Errorf("--provider: %w", err)
	}
	return p, nil
}
