// Package datasets holds what is published as data: one file a dataset, with its licence, what a row means, and how
// it is made. A test verifies every row again.
//
// A row names other things of the site by their path alone, so that the bytes and their digests are the same wherever
// they are served. The package must not know addresses, pages or who asks.
package datasets

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/quantity"
)

// Dataset is something to download: JSON Lines, one object a line.
type Dataset struct {
	Key     string
	Name    string
	Unit    string // what a row is, in the plural
	License string // an SPDX id
	About   string
	Row     *Value // what a row is made of
	Made    string // the command that makes its data again; "" where the program makes the rows when they are asked for

	order int // among the others
	lines func() []byte
	count func() int // the rows, where they can be counted without being made
}

// licenses are the addresses of their texts.
var licenses = map[string]string{
	"CC0-1.0":   "https://creativecommons.org/publicdomain/zero/1.0/",
	"CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
	"MIT":       "https://spdx.org/licenses/MIT.html",
}

var all []*Dataset

// define adds a dataset. Each file calls it once.
func define(d Dataset) *Dataset {
	d.lines = sync.OnceValue(d.lines)
	if d.count == nil {
		d.count = func() int { return bytes.Count(d.lines(), []byte("\n")) }
	}
	d.count = sync.OnceValue(d.count)
	d.Made = strings.ReplaceAll(d.Made, "KEY", d.Key)
	all = append(all, &d)
	slices.SortFunc(all, func(a, b *Dataset) int { return a.order - b.order })
	return &d
}

// All are the datasets, in the order in which they are listed.
func All() []*Dataset { return all }

// Lookup returns the dataset with a key, or nil.
func Lookup(key string) *Dataset {
	for _, d := range all {
		if d.Key == key {
			return d
		}
	}
	return nil
}

// Lines are the rows: JSON Lines, the same bytes on every machine. They are made once and must not be changed.
func (d *Dataset) Lines() []byte { return d.lines() }

// Rows is how many there are.
func (d *Dataset) Rows() int { return d.count() }

// Size says how many rows there are, in words.
func (d *Dataset) Size() string { return quantity.Grouped(int64(d.Rows())) + " " + d.Unit }

// LicenseURL is the address of the licence's text.
func (d *Dataset) LicenseURL() string { return licenses[d.License] }

// Schema is the JSON schema of a row.
func (d *Dataset) Schema() []byte {
	s := d.Row.schema()
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = d.Name + ": a row of " + d.Key + ".jsonl"
	var b bytes.Buffer
	encode(&b, s, "  ")
	return b.Bytes()
}

// encode writes a value and the end of its line. Names of types and rules have no need of HTML's escapes.
func encode(b *bytes.Buffer, v any, indent string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		panic("datasets: " + err.Error()) // cannot happen: all that is written are strings, numbers and graphs
	}
}

// jsonLines writes each value on a line.
func jsonLines[T any](values []T) []byte {
	var b bytes.Buffer
	for i := range values {
		encode(&b, &values[i], "")
	}
	return b.Bytes()
}

// unpack reads a compressed file that is part of the program.
func unpack(name string, data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(z)
	}
	if err != nil {
		// cannot happen: the file is part of the program, and the tests read it
		panic(fmt.Sprintf("datasets: %s: %v", name, err))
	}
	return data
}

// linesIn counts those of a compressed file.
func linesIn(data []byte) int { return bytes.Count(unpack("rows", data), []byte("\n")) }

// each calls f with every line of a text that ends in a line's end.
func each(text []byte, f func(line []byte)) {
	for line := range bytes.Lines(text) {
		f(line)
	}
}

// read decodes a line of a file that is part of the program.
func read(name string, line []byte, into any) {
	if err := json.Unmarshal(line, into); err != nil {
		// cannot happen: the file is part of the program, and the tests read it
		panic(fmt.Sprintf("datasets: %s: %v", name, err))
	}
}
