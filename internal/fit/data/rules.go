package data

import "github.com/modelverifier/verifier/internal/rules"

// Rule is what a check looks for.
type Rule struct {
	ID, Title string
	Severity  rules.Severity // the worst that its findings have
}

// Rules lists what can be found, sorted by id. A test compares it with the checks.
func Rules() []Rule {
	return []Rule{
		{"data-channels", "Images do not have the channels that the model reads", rules.Block},
		{"data-class-balance", "Classes are filled unevenly", rules.Warn},
		{"data-columns", "Rows do not have the columns that the model reads", rules.Block},
		{"data-image-size", "Images do not have a size that the model takes", rules.Block},
		{"data-labels", "There are more classes than the model gives logits", rules.Block},
		{"data-patches", "Patches leave a part of the image out", rules.Warn},
		{"data-samples", "There are too few samples", rules.Block},
		{"data-sequence", "Sequences do not fit the model", rules.Block},
		{"data-tokenizer", "The tokenizer has more tokens than the embedding has rows", rules.Block},
		{"data-tokenizer-head", "The head has fewer logits than the tokenizer has tokens", rules.Block},
	}
}
