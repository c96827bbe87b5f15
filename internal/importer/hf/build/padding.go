package build

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// CheckPadding refuses a padding token that a table has no row for: nn.Embedding raises where padding_idx is not
// among its rows, which it counts from behind where it is negative. Not every class hands its pad_token_id on: those
// modules that get it are listed with the class's defaults.
func CheckPadding(b *Build, name string, rows int64) {
	module := name[strings.LastIndexByte(name, '.')+1:]
	if b.again || !b.Padded(module) || !b.Has("pad_token_id") {
		return
	}
	if pad := b.Int("pad_token_id"); pad < -rows || pad >= max(rows, 1) {
		config.Fail(config.CodeContradiction, b.At("pad_token_id"),
			"is %d, but %s has %d rows: padding_idx takes %d to %d", pad, b.PathOf(name), rows, -rows, rows-1)
	}
}
