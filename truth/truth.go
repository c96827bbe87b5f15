// Package truth holds what PyTorch really does: rows that were measured, never computed by us, and the tests that compare the engine with
// them. The scripts that made the rows lie beside this file (docs/truth.md).
//
// Its only code hands out the rows that are published as datasets.
package truth

import _ "embed" // the rows

// Graphs are whole graphs that PyTorch ran or refused: JSON Lines, compressed with gzip.
//
//go:embed graphs.jsonl.gz
var Graphs []byte

// Drawn are further ones, of other seeds.
//
//go:embed graphs-drawn.jsonl.gz
var Drawn []byte

// Outcomes are designs that were trained, behind a line that says with what: JSON Lines, compressed with gzip.
//
//go:embed outcomes.jsonl.gz
var Outcomes []byte
