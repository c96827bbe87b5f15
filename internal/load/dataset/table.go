package dataset

import (
	"bytes"
	"encoding/csv"
	"io"
	"io/fs"
	"path"
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

// readTable reads the header of a table and counts its rows.
func readTable(f *Found, fsys fs.FS, name string) error {
	if isTest(name) {
		return nil
	}
	raw, err := text(fsys, name)
	if err != nil {
		return err
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))))
	r.ReuseRecord = true
	if strings.HasPrefix(strings.ToLower(path.Ext(name)), ".tsv") {
		r.Comma, r.LazyQuotes = '\t', true
	}
	header, err := r.Read()
	if err != nil {
		return broken(name, "has no header: %v", err)
	}
	label := slices.IndexFunc(header, isLabel)
	columns := int64(len(header))
	rows, numeric := int64(0), true
	counts := map[string]int64{}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return broken(name, "is broken: %v", err)
		}
		rows++
		for i, cell := range row {
			if i == label {
				if len(counts) <= maxClasses {
					counts[strings.Clone(cell)]++
				}
			} else if numeric {
				_, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
				numeric = err == nil || strings.TrimSpace(cell) == ""
			}
		}
	}
	f.addSamples(rows)
	if label < 0 {
		f.note("%s has no column called label, target, class or y; give num_labels and features", name)
		return nil
	}
	if numeric {
		f.Features = columns - 1
	} else {
		f.note("%s has columns that are no numbers; give features", name)
	}
	if len(counts) <= maxClasses && rows > 0 && allWhole(counts) {
		f.ClassCounts = ordered(counts)
	}
	return nil
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
