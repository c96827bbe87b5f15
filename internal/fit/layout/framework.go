package layout

import (
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

// axis is a kind of size that a condition is about.
type axis uint16

const (
	onTP axis = 1 << iota
	onPP
	onOther

	// What a condition needs to know of the model: without it nothing is found out.
	ofHeads  // the attention heads
	ofKV     // the heads of keys and values
	ofWidth  // the features inside the feed-forward network
	ofLayers // the layers that the framework counts
	ofLength // the tokens of a sequence
	ofModel  // that there is a transformer at all, with or without experts
)

// The names of the frameworks.
const (
	megatronName   = "megatron"
	torchtitanName = "torchtitan"
	deepspeedName  = "deepspeed"
)

// framework is whose rules hold.
type framework struct {
	name, title   string
	rules         []rule // each breaks the run
	advice        []rule // each is doubtful, and nothing refuses it
	zero          func(*plan) int64
	split         func(*plan) []int64 // how many layers each chunk of the pipeline gets, in the order in which data flows; nil where it cannot
	splitsExperts bool                // whether experts are tensor-parallel beside being expert-parallel
	spareStages   int64               // stages beyond the number of layers that can be legal
	gradBytes     int64               // of a gradient
	logitBytes    int64               // of a logit at the worst moment
	padsVocab     int64               // rows that the vocabulary is padded to for each tensor-parallel rank; 0 for none
}

// rule is one condition. What it needs and does not know it takes for kept.
type rule struct {
	id, title string
	on        axis
	source    string // where the framework refuses
	holds     func(*plan) (detail string, ok bool)
	fix       func(*plan) proposal // what could be done about it; nil where nothing is certain
}

// frameworkOf returns the framework with a name, Megatron-LM for any other.
func frameworkOf(name string) *framework {
	switch name {
	case torchtitan.name:
		return &torchtitan
	case deepspeed.name:
		return &deepspeed
	}
	return &megatron
}

// divides is the condition that a size is a divisor of a count; a count of 0 is unknown.
func divides(what string, count int64, name string, size int64) (string, bool) {
	if count <= 0 || size <= 0 || count%size == 0 {
		return "", true
	}
	return "the number of " + what + ", " + quantity.Grouped(count) + ", is not divisible by " + name + " " + quantity.Grouped(size), false
}

// counted is a number with its noun, in the plural where it is not 1.
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		noun += "e"
	}
	return quantity.Grouped(n) + " " + noun + "s"
}

// gigabytes is a size for a message, in the unit of the answer's figures.
func gigabytes(n int64) string { return quantity.GB(n).String() + " GB" }

// fixBatch is the nearest batch that can be divided.
func fixBatch(c *plan) proposal {
	return set(sizeGlobalBatch, multiple(c.global, times(c.MicroBatch, c.DP)))
}

// wholeBatch is the condition of all three that a step is a whole number of micro-batches on every data-parallel rank.
func wholeBatch(c *plan) (string, bool) {
	if c.microBatches > 0 {
		return "", true
	}
	return "a global batch of " + quantity.Grouped(c.global) + " is not divisible by micro_batch " + quantity.Grouped(c.MicroBatch) + " times dp " + quantity.Grouped(c.DP), false
}

// knownZero is the condition that the stage exists.
func knownZero(c *plan) (string, bool) {
	if c.zero >= 0 && c.zero <= 3 {
		return "", true
	}
	return "zero is " + strconv.FormatInt(c.zero, 10) + " but the stages are 0 to 3", false
}

// hasLearnedRoom is the condition that a table of positions has a row for every token.
func hasLearnedRoom(c *plan) (string, bool) {
	if c.tooLong == "" {
		return "", true
	}
	return "a sequence of " + counted(c.length, "token") + " is longer than the table of positions: " + c.tooLong, false
}

// withinContext is the advice to stay within what the model was made for.
func withinContext(c *plan) (string, bool) {
	if c.facts.PositionKind == "learned" || c.facts.Positions == 0 || c.SeqLen == nil || *c.SeqLen <= c.facts.Positions {
		return "", true
	}
	return "a sequence of " + counted(*c.SeqLen, "token") + " is longer than the " + counted(c.facts.Positions, "position") + " that the model was made for", false
}

func shorten(c *plan) proposal {
	longest := c.facts.Positions
	if c.tooLong != "" {
		longest = c.longest
	}
	return set(sizeSeqLen, longest)
}

// keptLength is the advice that the figures are at another length than was asked for.
var keptLength = rule{"layout-length", "The figures are for another length", onOther | ofLength, "", func(c *plan) (string, bool) {
	if c.wanted == c.seqLen || c.tooLong != "" {
		return "", true
	}
	return "memory and balance are for " + counted(c.seqLen, "token") + ": the graph does not run at " + quantity.Grouped(c.wanted) +
		", unless it is imported with --seq-len " + strconv.FormatInt(c.wanted, 10), false
}, nil}

// unusedExperts is the advice where there are no experts to divide.
func unusedExperts(c *plan) (string, bool) {
	if c.EP == 1 || c.facts.HasExperts() {
		return "", true
	}
	return "ep " + quantity.Grouped(c.EP) + " changes nothing: the model has no experts", false
}

var oneExpertRank = only(sizeEP, 1)

// cannotSplit is the advice where the heads are unknown.
func cannotSplit(c *plan) (string, bool) {
	if c.TP == 1 || c.facts.Heads > 0 {
		return "", true
	}
	return "the model has no attention heads that are known, so whether it can be split over tp " + quantity.Grouped(c.TP) + " is not judged", false
}

// unknownLayers is the advice where the layers that a framework would divide are unknown.
func unknownLayers(c *plan) (string, bool) {
	if c.PP == 1 || c.layered() {
		return "", true
	}
	return "how many layers " + c.framework.title + " would count is not known, so whether they can be split over pp " + quantity.Grouped(c.PP) + " is not judged", false
}

// even writes the layers of each chunk where they divide.
func even(layers, chunks int64) []int64 {
	out := make([]int64, chunks)
	for i := range out {
		out[i] = layers / chunks
		if int64(i) < layers%chunks {
			out[i]++
		}
	}
	return out
}
