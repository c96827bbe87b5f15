package attest

import (
	"crypto/sha256"
	"strings"
)

// Order is how the files of a model follow one another under its root digest. The OpenSSF model signing specification (v1.0, 5.2.1)
// sorts by the name; its reference implementation in Python sorts by the parts of the path. They differ where a folder stands beside
// a file whose name goes on with a character below the slash: model/ and model.safetensors.
type Order string

// The orders.
const (
	ByName  Order = "name"  // what we write
	ByParts Order = "parts" // what is taken as well
)

// Compare compares two names in this order.
func (o Order) Compare(a, b string) int {
	if o != ByParts {
		return strings.Compare(a, b)
	}
	// A slash ends a part, and a part that ends comes before one that goes on: as if it were the lowest of all characters.
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		switch {
		case x == '/':
			return -1
		case y == '/':
			return 1
		case x < y:
			return -1
		}
		return 1
	}
	return len(a) - len(b)
}

// Sum is a SHA-256 digest.
type Sum [sha256.Size]byte

// Root is the digest of a model: that of the raw digests of its files, one behind the other.
func Root(sums []Sum) Sum {
	h := sha256.New()
	for i := range sums {
		h.Write(sums[i][:])
	}
	return Sum(h.Sum(nil))
}
