package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// Fingerprint names the structure of a model in eight hexadecimal digits. args is that of StructureOf.
func (g *Graph) Fingerprint(args func(i int) []Param) string {
	return StructureOf(g, args).Fingerprint()
}

// Fingerprint names a structure in eight hexadecimal digits.
//
// It is the beginning of a SHA-256 over the sorted hashes of all nodes. The hash of a node is made from its type, its
// parameters and its ordered inputs, in topological order, and then, against it, from its readers and the positions at which
// they read. So it does not depend on ids, names, positions or on the order of components, parameters and connections as
// far as the inputs of each component keep theirs, and it changes with every parameter and connection. Equal numbers count
// as equal, a null counts as left out, a tie counts as the component that it names, and sticky notes count for nothing.
func (s *Structure) Fingerprint() string {
	hashes := make([]uint64, 0, s.nodes)
	for i, h := range s.full {
		if !s.isNote(int32(i)) {
			hashes = append(hashes, h)
		}
	}
	slices.Sort(hashes)
	bytes := make([]byte, 0, 8*len(hashes))
	for _, h := range hashes {
		bytes = binary.BigEndian.AppendUint64(bytes, h)
	}
	sum := sha256.Sum256(bytes)
	return hex.EncodeToString(sum[:4])
}
