package dataset

import (
	"encoding/json"
	"io/fs"
	"strconv"
)

func init() {
	byName["tokenizer.json"] = readTokenizer
	byName["tokenizer_config.json"] = readTokenizerConfig
}

// readTokenizer counts the ids of a fast tokenizer: up to the largest in the vocabulary or among the added tokens.
func readTokenizer(f *Found, fsys fs.FS, name string) error {
	raw, err := text(fsys, name)
	if err != nil {
		return err
	}
	var t struct {
		Model struct {
			Vocab json.RawMessage `json:"vocab"`
		} `json:"model"`
		Added []struct {
			ID int64 `json:"id"`
		} `json:"added_tokens"`
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return broken(name, "is no tokenizer: %v", err)
	}
	size := int64(0)
	var byToken map[string]int64
	var listed []json.RawMessage // of unigram models, each with its score
	switch {
	case json.Unmarshal(t.Model.Vocab, &byToken) == nil:
		for _, id := range byToken {
			size = max(size, id+1)
		}
	case json.Unmarshal(t.Model.Vocab, &listed) == nil:
		size = int64(len(listed))
	default:
		return broken(name, "has no vocabulary that can be counted")
	}
	for _, a := range t.Added {
		size = max(size, a.ID+1)
	}
	f.TokenizerSize = max(f.TokenizerSize, size)
	return nil
}

// readTokenizerConfig counts the added tokens. The length that it names is where texts are cut, not how long they are.
func readTokenizerConfig(f *Found, fsys fs.FS, name string) error {
	raw, err := text(fsys, name)
	if err != nil {
		return err
	}
	var t struct {
		Added  map[string]json.RawMessage `json:"added_tokens_decoder"`
		Length json.RawMessage            `json:"model_max_length"`
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return broken(name, "is no tokenizer's configuration: %v", err)
	}
	for id := range t.Added {
		if n, err := json.Number(id).Int64(); err == nil {
			f.TokenizerSize = max(f.TokenizerSize, n+1)
		}
	}
	if n, err := strconv.ParseInt(string(t.Length), 10, 64); err == nil && n > 0 && n < 1<<31 { // 10^30 stands for no length
		f.note("%s cuts texts at %d tokens; give seq_len if they are as long", name, n)
	}
	return nil
}
