package jobs

import (
	"context"
	"time"
)

// Agents counts the agent messages of organisations.
type Agents struct {
	Store Store
	Clock func() time.Time
}

// CodeAgent is the code of the limit on agent messages, and its name where an operator sets it.
const CodeAgent = "agent-messages"

// Take counts one message of an organisation, in one transaction with the look at its limit. LimitError: it has had those of today.
func (a Agents) Take(ctx context.Context, org string) error {
	return a.Store.Write(ctx, func(tx Tx) error {
		today, midnight := day(a.Clock())
		limits, err := limitsOf(tx, org)
		if err != nil {
			return err
		}
		used, err := tx.Messages(org, today)
		if err != nil {
			return err
		}
		if used >= limits.AgentMessages {
			return &LimitError{Code: CodeAgent, Limit: limits.AgentMessages, Used: used, ResetsAt: midnight}
		}
		return tx.PutMessages(org, today, used+1)
	})
}
