package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/modelverifier/verifier/internal/training"
)

// The size of a curve in characters. An epoch takes some columns, so that the most that a run can have fit a terminal.
const (
	curveRows  = 6
	curveStep  = 3
	curveLabel = 9
)

// series is one line of a curve: its name, the character that stands for it, and its values.
type series struct {
	name string
	mark byte
	of   func(training.Epoch) float64
}

var (
	losses     = []series{{"trainLoss", 'o', func(e training.Epoch) float64 { return e.TrainLoss }}, {"valLoss", 'x', func(e training.Epoch) float64 { return e.ValLoss }}}
	accuracies = []series{{"valAcc", '*', func(e training.Epoch) float64 { return e.ValAcc }}}
)

// curves draws loss and accuracy over epochs, of as many as the run will have. It is text alone: no escape codes, and no character that
// a terminal may lack.
func curves(epochs []training.Epoch, most int64) string {
	if len(epochs) == 0 {
		return ""
	}
	return curve(epochs, most, losses) + curve(epochs, most, accuracies)
}

// curve draws some series under one scale. Where two fall together the first is drawn.
func curve(epochs []training.Epoch, most int64, all []series) string {
	low, high := bounds(epochs, all)
	width := int(min(max(most, int64(len(epochs))), training.MaxEpochs)) * curveStep
	grid := make([][]byte, curveRows)
	for i := range grid {
		grid[i] = []byte(strings.Repeat(" ", width))
	}
	for i := len(all) - 1; i >= 0; i-- {
		for k, e := range epochs {
			row := 0
			if high > low {
				row = int(math.Round((high - all[i].of(e)) / (high - low) * (curveRows - 1)))
			}
			if column := k*curveStep + 1; column < width && row >= 0 && row < curveRows {
				grid[row][column] = all[i].mark
			}
		}
	}
	var b strings.Builder
	for i, line := range grid {
		label := ""
		if i == 0 || i == curveRows-1 {
			label = fmt.Sprintf("%.4g", high-(high-low)*float64(i)/(curveRows-1))
		}
		fmt.Fprintf(&b, "%*s |%s\n", curveLabel, label, strings.TrimRight(string(line), " "))
	}
	fmt.Fprintf(&b, "%*s +%s\n%*s  %s\n", curveLabel, "", strings.Repeat("-", width), curveLabel, "", legend(all))
	return b.String()
}

// legend says what stands for what.
func legend(all []series) string {
	var words []string
	for _, s := range all {
		words = append(words, string(s.mark)+" "+s.name)
	}
	return strings.Join(words, "   ")
}

// bounds are the least and the greatest value of all series.
func bounds(epochs []training.Epoch, all []series) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range all {
		for _, e := range epochs {
			low, high = min(low, s.of(e)), max(high, s.of(e))
		}
	}
	return low, high
}

// epochLine is one epoch for a log.
func epochLine(e training.Epoch, most int64) string {
	return fmt.Sprintf("epoch %d of %d: trainLoss %.4f, valLoss %.4f, valAcc %.4f\n", e.Epoch, most, e.TrainLoss, e.ValLoss, e.ValAcc)
}

// barColumns is how wide a progress bar is.
const barColumns = 30

// bar shows how many epochs of a run are done.
func bar(done, most int64) string {
	filled := 0
	if most > 0 {
		filled = int(min(done, most) * barColumns / most)
	}
	return "[" + strings.Repeat("#", filled) + strings.Repeat(".", barColumns-filled) + "]" + fmt.Sprintf(" %d of %d", done, most)
}
