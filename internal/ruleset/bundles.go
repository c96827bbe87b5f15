package ruleset

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Bundle is one package of the verifier as it was loaded.
type Bundle struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Bundles digests each package: the SHA-256 of its lines in digests.txt, so that `sha256sum` over the sorted files of a folder,
// piped into sha256sum, gives the same.
func Bundles() []Bundle {
	var out []Bundle
	for _, name := range Packages {
		var lines strings.Builder
		for _, f := range Files() {
			if strings.HasPrefix(f.Path, "internal/"+name+"/") {
				lines.WriteString(f.SHA256 + "  " + f.Path + "\n")
			}
		}
		if lines.Len() > 0 {
			sum := sha256.Sum256([]byte(lines.String()))
			out = append(out, Bundle{name, hex.EncodeToString(sum[:])})
		}
	}
	return out
}
