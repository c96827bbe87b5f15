package dataset

import (
	"encoding/json"
	"io/fs"
)

func init() { byName["dataset_info.json"] = readInfo }

// description is what the datasets library writes.
type description struct {
	Features map[string]json.RawMessage `json:"features"`
	Splits   map[string]struct {
		Examples int64 `json:"num_examples"`
	} `json:"splits"`
}

// readInfo reads a description, or the first of several that lie in it by name.
func readInfo(f *Found, fsys fs.FS, name string) error {
	raw, err := text(fsys, name)
	if err != nil {
		return err
	}
	var one description
	if err := json.Unmarshal(raw, &one); err != nil {
		return broken(name, "is no description of a dataset: %v", err)
	}
	if one.Features == nil && one.Splits == nil {
		var several map[string]description
		if err := json.Unmarshal(raw, &several); err != nil || len(several) != 1 {
			return broken(name, "describes no dataset, or several")
		}
		for _, only := range several {
			one = only
		}
	}
	if train, ok := one.Splits["train"]; ok {
		f.addSamples(train.Examples)
	}
	f.classes(one.Features)
	return nil
}

// classes finds the column that is a class label.
func (f *Found) classes(features map[string]json.RawMessage) {
	labelled, count := 0, int64(0)
	for _, raw := range features {
		var c struct {
			Type  string   `json:"_type"`
			Names []string `json:"names"`
			Count int64    `json:"num_classes"`
		}
		if json.Unmarshal(raw, &c) == nil && c.Type == "ClassLabel" {
			labelled++
			count = max(int64(len(c.Names)), c.Count)
		}
	}
	switch {
	case labelled == 1:
		f.NumLabels = count
	case labelled > 1:
		f.note("%d columns are class labels; give num_labels", labelled)
	}
}
