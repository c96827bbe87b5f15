// Package secret makes what must not be guessed: ids, links, session tokens and keys, and the digests under which they are kept.
//
// It knows no account and no store. Whoever reads a database finds digests only: a secret has 256 random bits, so that its
// plain SHA-256 cannot be turned back and needs neither salt nor stretching. Passwords are not secrets of this kind.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"strings"
)

// Length is how many characters a secret has: 32 bytes in base64url without padding.
const Length = 43

// Hash is the SHA-256 of a secret.
type Hash [sha256.Size]byte

// lower is base32 in lower case: ids can be read aloud and survive systems that fold case.
var lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// ID returns 128 random bits as 26 characters.
func ID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the program ends if the system has no randomness
	return lower.EncodeToString(b[:])
}

// New returns 256 random bits as 43 characters.
func New() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Of returns the digest of a secret.
func Of(s string) Hash { return sha256.Sum256([]byte(s)) }

// Equal compares in a time that does not depend on where two digests differ.
func (h Hash) Equal(other Hash) bool { return subtle.ConstantTimeCompare(h[:], other[:]) == 1 }

// WellFormed says whether s, behind the prefix, is as long as a secret and made of its characters. What is not need not be looked up.
func WellFormed(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != Length {
		return false
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
