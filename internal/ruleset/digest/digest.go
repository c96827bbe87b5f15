// Package digest computes the list of digests that package ruleset embeds. It reads the disk and is used only to generate that
// list and to test that it is fresh; no program links it.
package digest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/ruleset"
)

// Of returns one line for each file that decides a verdict, sorted by path: its SHA-256 and its path from root, the root of the
// repository. Tests and test data decide nothing.
func Of(root string) (string, error) {
	var lines []string
	for _, pkg := range ruleset.Packages {
		dir := filepath.Join(root, "internal", filepath.FromSlash(pkg))
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			continue
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return err
			}
			if strings.HasSuffix(path, "_test.go") {
				return nil
			}
			line, err := digestLine(root, path)
			lines = append(lines, line)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i][64:] < lines[j][64:] })
	return strings.Join(lines, ""), nil
}

func digestLine(root, path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return "", err
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // a checkout with other line ends is the same rule set
	return fmt.Sprintf("%x  %s\n", sha256.Sum256(data), filepath.ToSlash(rel)), nil
}
