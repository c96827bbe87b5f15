// Package worker holds the trainer that workers run with a python3 that has PyTorch. It is a file of Python, and nothing of it runs here.
package worker

import _ "embed"

// Train is train.py.
//
//go:embed train.py
var Train string
