package data

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// columns compares the columns of a table with the input features.
func columns(s *subject) []Check {
	if s.Features == 0 {
		return nil
	}
	c := Check{Name: "columns", Status: pass, Expected: "a model that reads rows", Actual: counted(s.Features, "column"), title: "Rows do not have the columns that the model reads"}
	at := -1
	for i := range s.res.Nodes {
		if n := &s.res.Nodes[i]; at < 0 && n.Type != nil && n.Type.ID == infer.InputID && n.Out.Rank() == 1 && !n.OutIsInt {
			at = i
		}
	}
	if at < 0 {
		c.Status, c.Detail = unknown, "the model has no input of a row of numbers"
		return one(c)
	}
	own := s.res.Nodes[at].Out[0]
	c.Expected, c.Detail = counted(own, "column"), "rows have the columns that the model reads"
	if own == s.Features {
		return one(c)
	}
	refusal, known := s.with(map[int][]int64{at: {s.Features}})
	switch {
	case refusal != nil:
		c.Status, c.component = block, s.res.Graph.Components[refusal.Node].ID
		c.Detail = "rows have " + quantity.Grouped(s.Features) + " columns: " + s.label(refusal) + ": " + refusal.Message
		c.Fix = "give the model rows of " + strconv.FormatInt(own, 10) + " columns"
	case !known:
		c.Status, c.Detail = unknown, s.unasked()
	default:
		c.Status, c.title = warn, "Rows have other columns than the model's input says"
		c.Detail = "the input says " + counted(own, "column") + " and rows have " + quantity.Grouped(s.Features) + "; the model runs on either, with other weights"
		c.component = s.res.Graph.Components[at].ID
	}
	return one(c)
}

// What counts as uneven, and as few: rules of thumb. Johnson and Khoshgoftaar 2019 ("Survey on deep learning with class imbalance")
// call ratios from 10 on high; ten samples a class is where a split into training and validation leaves any.
const (
	unevenRatio = 10
	fewPerClass = 10
)

// imbalance compares the fullest class with the emptiest.
func imbalance(s *subject) []Check {
	if len(s.ClassCounts) < 2 {
		return nil
	}
	least, most, empty := s.ClassCounts[0], s.ClassCounts[0], 0
	for _, n := range s.ClassCounts {
		least, most = min(least, n), max(most, n)
		if n == 0 {
			empty++
		}
	}
	c := Check{Name: "class-balance", Status: pass, Expected: "less than " + strconv.Itoa(unevenRatio) + " times as many samples in one class as in another",
		Actual: quantity.Grouped(most) + " to " + quantity.Grouped(least), Detail: "classes are filled evenly enough", title: "Classes are filled unevenly"}
	switch {
	case empty > 0:
		c.Status, c.title = warn, "A class has no samples"
		c.Detail = quantity.Grouped(int64(empty)) + " of " + quantity.Grouped(int64(len(s.ClassCounts))) + " classes have no samples: the model cannot learn them"
		c.Fix = "add samples of them, or leave them out of the labels"
	case most/unevenRatio >= least:
		c.Status = warn
		c.Detail = "the fullest class has " + counted(most, "sample") + " and the emptiest " + quantity.Grouped(least)
		c.Fix = "weight the loss by class, or sample the classes evenly"
	}
	return one(c)
}

// samples asks whether there are enough of them to learn from.
func samples(s *subject) []Check {
	var count int64
	switch {
	case s.Samples != nil:
		count = *s.Samples
	case len(s.ClassCounts) > 0:
		for _, n := range s.ClassCounts {
			if sum, ok := quantity.Add(count, n); ok {
				count = sum
			}
		}
	default:
		return nil
	}
	classes := max(1, s.classes())
	wanted, ok := quantity.Mul(fewPerClass, classes)
	if !ok {
		wanted = 1 << 62
	}
	c := Check{Name: "samples", Status: pass, Expected: "at least " + counted(wanted, "sample"), Actual: counted(count, "sample"), Detail: "there are samples to learn from", title: "There are few samples"}
	switch {
	case count == 0:
		c.Status, c.title, c.Detail = block, "There are no samples", "PyTorch's RandomSampler refuses a dataset without samples"
	case count < wanted:
		c.Status = warn
		c.Detail = counted(count, "sample") + " in all, fewer than " + strconv.Itoa(fewPerClass) + " for each of " + counted(classes, "class")
		if s.classes() == 0 {
			c.Detail = counted(count, "sample") + " are hardly enough to learn from"
		}
	}
	return one(c)
}
