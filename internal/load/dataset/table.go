package dataset

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

func init() { byExtension[".csv"], byExtension[".tsv"] = readTable, readTable }

// maxClasses is how many values a column of labels can have before it is taken for something else.
const maxClasses = 1000

// isLabel reports whether a column is called what is to be predicted.
func isLabel(column string) bool {
	switch strings.ToLower(strings.TrimSpace(column)) {
	case "label", "labels", "target", "class", "y", "category":
		return true
	}
	return false
}

// isIndex reports whether a column numbers the rows, and is no feature of them: pandas writes its index without a name.
func isIndex(column string) bool {
	switch c := strings.ToLower(strings.TrimSpace(column)); c {
	case "", "id", "idx", "index", "unnamed: 0", "__index_level_0__":
		return true
	}
	return false
}

// table is what is known of a table once its rows were read.
type table struct {
	header  []string
	label   int // column of labels, -1 for none
	rows    int64
	numeric bool // whether all columns but the labels are numbers
	counts  map[string]int64
}

// readTable reads the header of a table and counts its rows.
func readTable(f *Found, fsys fs.FS, name string) error {
	if isTest(name) {
		return nil
	}
	file, done, err := opened(fsys, name)
	if err != nil {
		return err
	}
	defer func() { _ = done() }() // it was only read
	limited := &io.LimitedReader{R: file, N: maxTable}
	t, err := rowsOf(limited, strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".tsv"))
	if err != nil && limited.N > 0 {
		return broken(name, "is no table: %v", err)
	}
	if limited.N <= 0 {
		f.note("%s has more than %d bytes; give samples and class_counts", name, maxTable)
	} else {
		f.addSamples(t.rows)
		t.classes(f, name)
	}
	t.features(f, name)
	return nil
}

// maxColumns is more than any table of samples has.
const maxColumns = 100_000

// columns passes a table on, and ends at a line of too many fields, which the reader would keep as a list first.
type columns struct {
	from  io.Reader
	comma byte
	count int
}

func (c *columns) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	for _, b := range p[:n] {
		switch b {
		case c.comma:
			if c.count++; c.count > maxColumns {
				return 0, fmt.Errorf("a line has more than %d columns", maxColumns)
			}
		case '\n':
			c.count = 0
		}
	}
	return n, err
}

// rowsOf reads a table as far as it can. Beside an error it returns what it has read.
func rowsOf(from io.Reader, tabs bool) (*table, error) {
	t := &table{label: -1, numeric: true, counts: map[string]int64{}}
	buffered := bufio.NewReader(from)
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		if _, err := buffered.Discard(3); err != nil {
			return t, err
		}
	}
	narrow := &columns{from: buffered, comma: ','}
	r := csv.NewReader(narrow)
	r.ReuseRecord = true
	if tabs {
		r.Comma, r.LazyQuotes = '\t', true
		narrow.comma = '\t'
	}
	header, err := r.Read()
	if err != nil {
		return t, fmt.Errorf("it has no header: %w", err)
	}
	t.header = slices.Clone(header)
	t.label = slices.IndexFunc(t.header, isLabel)
	for {
		row, err := r.Read()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		t.add(row)
	}
}

func (t *table) add(row []string) {
	t.rows++
	for i, cell := range row {
		switch {
		case i == t.label:
			t.countLabel(cell)
		case !t.numeric || cell == "": // an error of ParseFloat is a copy, and a file can have millions of empty cells
		default:
			if cell = strings.TrimSpace(cell); cell != "" {
				_, err := strconv.ParseFloat(cell, 64)
				t.numeric = err == nil
			}
		}
	}
}

// countLabel counts a label, which is copied where it is the first of its kind: the reader writes over it.
func (t *table) countLabel(label string) {
	if _, known := t.counts[label]; known {
		t.counts[label]++
	} else if len(t.counts) <= maxClasses {
		t.counts[strings.Clone(label)] = 1
	}
}

// features says how many columns a model reads, where every column but the labels is one.
func (t *table) features(f *Found, name string) {
	switch {
	case t.label < 0:
		f.note("%s has no column called label, target, class or y; give num_labels and features", name)
	case !t.numeric:
		f.note("%s has columns that are no numbers; give features", name)
	case slices.ContainsFunc(t.header, isIndex):
		f.note("%s has a column that numbers its rows; give features", name)
	default:
		f.Features = int64(len(t.header)) - 1
	}
}

// classes counts the labels where they are words or whole numbers.
func (t *table) classes(f *Found, name string) {
	if t.label < 0 || t.rows == 0 || len(t.counts) > maxClasses || !allWhole(t.counts) {
		return
	}
	f.ClassCounts = ordered(t.counts)
	least, most, numbers := span(t.counts)
	if numbers && (least != 0 || most != int64(len(t.counts))-1) {
		f.note("%s has labels from %d to %d, of which there are %d; cross entropy takes them as they are, numbered from 0", name, least, most, len(t.counts))
	}
}

// span is the least and the most of labels that all are whole numbers.
func span(counts map[string]int64) (least, most int64, numbers bool) {
	for value := range counts {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			return 0, 0, false
		}
		if !numbers {
			least, most, numbers = n, n, true
		}
		least, most = min(least, n), max(most, n)
	}
	return least, most, numbers
}

// allWhole reports whether labels are words or whole numbers, and not measurements.
func allWhole(counts map[string]int64) bool {
	for value := range counts {
		if _, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil {
			continue
		}
		if _, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			return false
		}
	}
	return true
}

// ordered lists counts by the name of their class.
func ordered(counts map[string]int64) []int64 {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([]int64, len(names))
	for i, name := range names {
		out[i] = counts[name]
	}
	return out
}
