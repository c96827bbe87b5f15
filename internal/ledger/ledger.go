// Package ledger keeps what was measured of a structure: one row for each outcome, under its organisation and fingerprint.
//
// It knows no SQL and no HTTP. A row that is sent twice is kept once.
package ledger

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
)

// Most is how many rows are listed.
const Most = 20

// Row is one measured outcome, as it goes over the wire. What was left out stays absent: nobody measured it, and it is not zero.
type Row struct {
	At         time.Time `json:"at"` // UTC, whole seconds
	Metric     string    `json:"metric"`
	Value      float64   `json:"value"`
	Epochs     *int64    `json:"epochs,omitempty"`
	WallSec    *float64  `json:"wallSec,omitempty"`
	EstCostUSD *float64  `json:"estCostUsd,omitempty"`
	Source     string    `json:"source"`
}

// Outcome is a row on its way into the ledger.
type Outcome struct {
	Fingerprint string
	Row         Row
	// Undated says that the caller left the time out, and Row.At is when it arrived. Sent again, it is the same outcome.
	Undated bool
	// Run is the job of the service that measured it; two runs with equal figures are two outcomes.
	Run string
}

// Store keeps rows. Every call is confined to one organisation.
type Store interface {
	// Write keeps a row unless one with the same digest is there, and says whether it was written.
	Write(ctx context.Context, org, fingerprint string, digest secret.Hash, row Row) (written bool, err error)
	// List returns the newest rows first, at most so many.
	List(ctx context.Context, org, fingerprint string, most int) ([]Row, error)
}

// What became of an outcome, in the words of the specification.
const (
	Written = "written"
	Already = "already"
)

// Ledger writes and lists. It may be used by many at the same time.
type Ledger struct{ Store Store }

// Write keeps an outcome under an organisation, and says Written or Already.
func (l Ledger) Write(ctx context.Context, org string, o Outcome) (string, error) {
	digest, err := o.Digest()
	if err != nil {
		return "", err
	}
	written, err := l.Store.Write(ctx, org, o.Fingerprint, digest, o.Row)
	switch {
	case err != nil:
		return "", err
	case written:
		return Written, nil
	}
	return Already, nil
}

// List returns the organisation's rows for a structure, newest first, at most Most; never nil.
func (l Ledger) List(ctx context.Context, org, fingerprint string) ([]Row, error) {
	if err := checkFingerprint(fingerprint); err != nil {
		return nil, err
	}
	return l.Store.List(ctx, org, fingerprint, Most)
}

// Digest is what makes two outcomes the same, or says what is wrong with one.
func (o *Outcome) Digest() (secret.Hash, error) {
	if err := o.valid(); err != nil {
		return secret.Hash{}, err
	}
	return o.digest(), nil
}

// digest reads all of an outcome. Texts carry their length, so that no two rows are written alike. A figure that was left out is
// written as zero, and a byte behind them says so: rows that have every figure keep the digest that they always had.
func (o *Outcome) digest() secret.Hash {
	var b []byte
	text := func(s string) { b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...) }
	number := func(n uint64) { b = binary.BigEndian.AppendUint64(b, n) }
	text(o.Fingerprint)
	text(o.Row.Metric)
	text(o.Row.Source)
	number(math.Float64bits(o.Row.Value))
	number(math.Float64bits(or(o.Row.WallSec)))
	number(math.Float64bits(or(o.Row.EstCostUSD)))
	number(uint64(or(o.Row.Epochs)))
	if !o.Undated {
		number(uint64(o.Row.At.Unix()))
	}
	if absent := o.Row.absent(); absent != 0 {
		b = append(b, absent)
	}
	if o.Run != "" {
		text(o.Run)
	}
	return secret.Of(string(b))
}

// absent has a bit for each figure that was left out.
func (r *Row) absent() (bits byte) {
	for i, left := range []bool{r.Epochs == nil, r.WallSec == nil, r.EstCostUSD == nil} {
		if left {
			bits |= 1 << i
		}
	}
	return bits
}

// or is a figure, zero where it was left out.
func or[T any](figure *T) (value T) {
	if figure != nil {
		value = *figure
	}
	return value
}
