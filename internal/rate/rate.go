// Package rate counts calls in windows that every replica shares.
//
// It knows no SQL and no HTTP, and keeps no address: a bucket is named by a key's id, or by a keyed digest of an address.
package rate

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"time"
)

// Window is how a bucket stands.
type Window struct {
	Granted int64 // of what was asked for in this call
	Used    int64 // since the window began, this call included
	Began   time.Time
}

// Store counts. A window begins with the first call after the one before has ended.
type Store interface {
	// Take takes up to n from a bucket of limit calls for each period.
	Take(ctx context.Context, bucket string, n, limit int64, period time.Duration, now time.Time) (Window, error)
	// Secret returns the secret with which addresses are digested: made once, the same for every replica.
	Secret(ctx context.Context) ([]byte, error)
	// Forget removes windows that have ended.
	Forget(ctx context.Context, now time.Time) error
}

// Key names the bucket of an API key by the key's id.
func Key(id string) string { return "key:" + id }

// addressBytes of a digest are enough that no two addresses share a bucket.
const addressBytes = 16

// Address names the bucket of an address. A house has a whole /64 of IPv6 addresses, so that is what is counted; an IPv4
// address in the clothes of an IPv6 one is the IPv4 address. Without the secret the name says nothing about the address.
func Address(secret []byte, a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		p, _ := a.Prefix(64) // cannot fail: the address has 128 bits
		a = p.Addr()
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(a.AsSlice())
	return "address:" + hex.EncodeToString(mac.Sum(nil)[:addressBytes])
}
