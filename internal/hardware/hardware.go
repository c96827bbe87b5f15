// Package hardware knows the cards that a model can train on, what they cost, and the places that it can be deployed to.
//
// One data file is one card or one target, with its source and date; nothing else names it. The package knows nothing of
// models.
package hardware

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed gpus/*.json targets/*.json
var files embed.FS

// load reads every file of a folder. The files are part of the program, so one that cannot be read is a fault of the build.
func load[T any](folder string) []*T {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic(fmt.Sprintf("hardware: %v", err))
	}
	out := make([]*T, len(entries))
	for i, e := range entries {
		data, err := files.ReadFile(folder + "/" + e.Name())
		if err == nil {
			out[i] = new(T)
			err = json.Unmarshal(data, out[i])
		}
		if err != nil {
			panic(fmt.Sprintf("hardware: %s/%s: %v", folder, e.Name(), err))
		}
	}
	return out
}
