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
		if err := json.Unmarshal(raw, &several); err != nil || len(several) == 0 {
			return broken(name, "describes no dataset")
		}
		if len(several) > 1 {
			f.note("%s describes %d datasets; give the fields of the one that is meant", name, len(several))
			return nil
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
	for name, raw := range features {
		c, length := leaf(raw)
		if c.Type == "ClassLabel" {
			labelled++
			count = max(int64(len(c.Names)), c.Count)
		}
		if name == "input_ids" && length > 0 {
			f.SeqLen = length
		}
	}
	switch {
	case labelled == 1:
		f.NumLabels = count
	case labelled > 1:
		f.note("%d columns are class labels; give num_labels", labelled)
	}
}

// feature is a column as the datasets library describes it.
type feature struct {
	Type    string          `json:"_type"`
	Names   []string        `json:"names"`
	Count   int64           `json:"num_classes"`
	Length  int64           `json:"length"`  // of lists that all are as long, else -1
	Feature json.RawMessage `json:"feature"` // of the items of a list
}

// leaf is what a column has in its lists, as labels of tokens are, and how long the outermost of them is.
func leaf(raw json.RawMessage) (c feature, length int64) {
	for depth := range 8 {
		c = feature{}
		if json.Unmarshal(raw, &c) != nil {
			return feature{}, length
		}
		if depth == 0 {
			length = c.Length
		}
		if c.Feature == nil {
			break
		}
		raw = c.Feature
	}
	return c, length
}
