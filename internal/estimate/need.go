package estimate

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/quantity"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// need finds what must fit on a card: the least memory in which the run goes through, followed through PyTorch's allocator, with the context of the
// process. Where that is too long to follow, or operations are not known, it is the bound on what is
// reserved.
func (t *Training) need(followed *autograd.Tape) {
	t.NeedBytes = t.UpperBytes
	if followed != nil {
		if n, ok := followed.Need(t.Options.Expandable); ok {
			t.NeedBytes, t.ReservedBytes = max(n.Bytes, t.PeakBytes), n.Reserved
			t.UpperBytes = max(t.UpperBytes, t.NeedBytes)
		}
	}
	t.CardBytes = plus(t.NeedBytes, contextBytes)
}

// besideNeed adds what an objective holds beside training, which the allocator is not followed through.
func (t *Training) besideNeed(bytes int64) {
	if bytes > 0 && t.ReservedBytes > 0 {
		t.NeedBytes, t.ReservedBytes = max(t.PeakBytes, plus(t.NeedBytes, bytes)), plus(t.ReservedBytes, bytes)
		t.UpperBytes = max(t.UpperBytes, t.NeedBytes)
		t.CardBytes = plus(t.NeedBytes, contextBytes)
	}
}

// memoryText says what the memory that must fit is.
func (t *Training) memoryText() string {
	text := "memory is the least in which three steps go through PyTorch's allocator, with cuBLAS's workspaces, plus " + quantity.Bytes(contextBytes) + " of context"
	if t.ReservedBytes == 0 {
		text = fmt.Sprintf("memory is the peak of PyTorch's allocator, %d %% of which it reserves at the most, plus %s of workspace and pieces and %s of context",
			t.reserved, quantity.Bytes(workspaceBytes+piecesBytes), quantity.Bytes(contextBytes))
	}
	if more := onAnother(t.PricedOn); more > 0 && t.measured() {
		text += fmt.Sprintf("; its error was measured on %s and is taken as %d points more here", measuredCard, more)
	}
	return text
}
