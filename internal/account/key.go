package account

import (
	"context"

	"github.com/modelverifier/verifier/internal/secret"
)

// KeyPrefix begins every key, so that people and scanners of repositories recognise one.
const KeyPrefix = "mv_"

const (
	shown    = 8   // characters of a key that lists show
	keysMost = 100 // keys of an organisation that work
)

// CreateKey makes a key and returns its secret, which is not kept and cannot be shown again.
func (s *Service) CreateKey(ctx context.Context, org, by, name string) (k Key, key string, err error) {
	if name, err = line("name", name); err != nil {
		return k, "", err
	}
	key = KeyPrefix + secret.New()
	k = Key{ID: secret.ID(), Org: org, Name: name, Hash: secret.Of(key), Prefix: key[:shown], CreatedBy: by, CreatedAt: s.now()}
	err = s.changing(ctx, org, by, ToUse, "create-key", k.ID, func(tx Tx) error {
		all, err := tx.Keys(org)
		if err != nil {
			return err
		}
		working := 0
		for _, other := range all {
			if other.RevokedAt.IsZero() {
				working++
			}
		}
		if working >= keysMost {
			return invalid("name", "%d keys work already, at most %d may: revoke one first", working, keysMost)
		}
		return tx.PutKey(k)
	})
	if err != nil {
		return Key{}, "", err
	}
	return k, key, nil
}

// RevokeKey ends a key. Every replica refuses it within a second.
func (s *Service) RevokeKey(ctx context.Context, org, by, id string) error {
	return s.changing(ctx, org, by, ToUse, "revoke-key", id, func(tx Tx) error {
		k, err := tx.KeyByID(org, id)
		if err != nil || !k.RevokedAt.IsZero() {
			return err
		}
		k.RevokedAt = s.now()
		return tx.PutKey(k)
	})
}

// Keys lists the keys of an organisation, revoked ones too, newest first.
func (s *Service) Keys(ctx context.Context, org, by string) (all []Key, err error) {
	err = s.allowed(ctx, org, by, ToRead, func(tx Tx) error { all, err = tx.Keys(org); return err })
	return all, err
}
