package dataset

import (
	"bytes"
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
	switch listed := bytes.HasPrefix(bytes.TrimSpace(t.Model.Vocab), []byte("[")); {
	case listed: // of unigram models, each with its score
		size = items(t.Model.Vocab)
	case json.Unmarshal(t.Model.Vocab, &byToken) == nil:
		for _, id := range byToken {
			size = max(size, id+1)
		}
	default:
		return broken(name, "has no vocabulary that can be counted")
	}
	for _, a := range t.Added {
		size = max(size, a.ID+1)
	}
	f.TokenizerSize = max(f.TokenizerSize, size)
	return nil
}

// items counts the items of a list that is known to be JSON, without keeping any.
func items(list []byte) int64 {
	n, depth, quoted := int64(0), 0, false
	empty := true
	for i := 0; i < len(list); i++ {
		c := list[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted, empty = !quoted, false
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > 1 {
				empty = false
			}
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 1:
			n++
		case c > ' ':
			empty = false
		}
	}
	if empty {
		return 0
	}
	return n + 1
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
