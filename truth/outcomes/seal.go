package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
)

// sealed reports whether the designs of a family on a dataset are kept aside until every rule and weight is fixed: a quarter of
// the families of each dataset, chosen by a hash. Whole families, so that no design has a near relative among those that rules
// were found with.
func sealed(set *Dataset, family string) bool {
	names := familiesFor(set)
	slices.SortFunc(names, func(a, b string) int {
		x, y := sha256.Sum256([]byte("sealed|"+set.Name+"|"+a)), sha256.Sum256([]byte("sealed|"+set.Name+"|"+b))
		return cmp.Or(bytes.Compare(x[:], y[:]), cmp.Compare(a, b))
	})
	return slices.Index(names, family) < (len(names)+2)/4
}
