// Package truth compares the engine with what PyTorch really does: rows that were measured, never computed by us.
//
// The rows and the scripts that made them lie beside this file. The package has no code but its tests.
package truth
