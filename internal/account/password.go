package account

import (
	"context"
	"fmt"

	"github.com/alexedwards/argon2id"
)

// Cost is what hashing a password takes: the second recommendation of RFC 9106, section 4, for machines with little memory
// to spare (64 MiB, 3 passes, 4 lanes).
var Cost = argon2id.Params{Memory: 64 << 10, Iterations: 3, Parallelism: 4, SaltLength: 16, KeyLength: 32}

// Hasher hashes passwords, a few at a time: each needs much memory, and anybody may try to sign in.
type Hasher struct {
	cost  argon2id.Params
	slots chan struct{}
	decoy string // of no password: an unknown address costs what a known one does
}

// NewHasher returns a hasher of a cost which runs at most so many at a time.
func NewHasher(cost argon2id.Params, atOnce int) (*Hasher, error) {
	decoy, err := argon2id.CreateHash("no password is this", &cost)
	if err != nil {
		return nil, fmt.Errorf("account: hash: %w", err)
	}
	return &Hasher{cost, make(chan struct{}, max(atOnce, 1)), decoy}, nil
}

// wait takes a slot, or gives up with the caller.
func (h *Hasher) wait(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("account: hash: %w", ctx.Err())
	}
}

// hash returns an argon2id string.
func (h *Hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.wait(ctx); err != nil {
		return "", err
	}
	defer func() { <-h.slots }()
	s, err := argon2id.CreateHash(password, &h.cost)
	if err != nil {
		return "", fmt.Errorf("account: hash: %w", err)
	}
	return s, nil
}

// matches says whether a password is the hashed one, and whether the hash was made at another cost. It takes as long if there is no hash.
func (h *Hasher) matches(ctx context.Context, password, hashed string) (same, old bool, err error) {
	if len(password) > 4*passwordMost { // no password is so long; hashing megabytes would be work for nothing
		password, hashed = "", ""
	}
	if err := h.wait(ctx); err != nil {
		return false, false, err
	}
	defer func() { <-h.slots }()
	if hashed == "" {
		_, _, err = argon2id.CheckHash(password, h.decoy)
		return false, false, err
	}
	same, cost, err := argon2id.CheckHash(password, hashed)
	if err != nil {
		return false, false, fmt.Errorf("account: hash: %w", err)
	}
	return same, same && *cost != h.cost, nil
}
