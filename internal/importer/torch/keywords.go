package torch

import (
	"maps"
	"slices"
	"strings"
)

// Keywords lists the names of the arguments that PyTorch's functions, methods and layers of a name take, in order; where there are none of the name,
// those of all layers.
func Keywords(name string) []string {
	found := map[string]bool{}
	for full, all := range signatures() {
		parts := strings.Split(full, ".")
		last := parts[len(parts)-1]
		if len(parts) > 1 && last == "__init__" && name != last {
			last = parts[len(parts)-2]
		}
		if last != name {
			continue
		}
		for _, s := range all {
			for _, p := range s.params {
				found[p.name] = true
			}
		}
	}
	delete(found, "")
	if len(found) == 0 && name != "__init__" {
		return Keywords("__init__")
	}
	return slices.Sorted(maps.Keys(found))
}
