package rank

import (
	_ "embed" // for the data file
	"encoding/json"
)

// Calibration is how far the ranking has been measured. It goes with every answer. A null stands for what has not been
// measured.
type Calibration struct {
	Exclusion *Exclusion `json:"exclusion"`
	Ordering  *Ordering  `json:"ordering"`
}

// Exclusion is how often blocking was right.
type Exclusion struct {
	Claim          string `json:"claim"`
	Graphs         int    `json:"graphs"`
	Blocked        int    `json:"blocked"`
	BlockedCrashed int    `json:"blockedCrashed"` // of those, how many PyTorch refused
	Passed         int    `json:"passed"`
	PassedRan      int    `json:"passedRan"` // of those, how many PyTorch ran
	Torch          string `json:"torch"`
	MeasuredAt     string `json:"measuredAt"`
}

// Ordering is how often one of two designs that run was rightly put before the other.
type Ordering struct {
	Claim            string             `json:"claim"`
	PairwiseAccuracy *float64           `json:"pairwiseAccuracy"`
	Coverage         *float64           `json:"coverage"`
	SampleSize       int                `json:"sampleSize"`   // designs that no rule or weight was found with
	CountedPairs     int                `json:"countedPairs"` // of these, for one dataset and further apart than the noise between seeds
	DecidedPairs     int                `json:"decidedPairs"`
	Interval         []float64          `json:"interval"` // of the accuracy, 95 %, over designs drawn again
	Basis            string             `json:"basis"`
	Comparators      map[string]float64 `json:"comparators"` // their accuracy on the decided pairs
}

//go:embed calibration.json
var calibrationFile []byte

// Measured is what has been measured so far. A test of the measured rows holds the figures to them.
var Measured = func() Calibration {
	var c Calibration
	if err := json.Unmarshal(calibrationFile, &c); err != nil {
		panic("rank: calibration.json: " + err.Error()) // cannot happen: the file is part of the program
	}
	return c
}()
