package worker

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/run"
)

// slot is something that one job at a time runs on.
type slot struct {
	card    string // of package hardware; empty is the processor, or nothing at all
	visible string // CUDA_VISIBLE_DEVICES of a trainer on it
}

// memoryTolerance is how far a card's memory may be from that in its data sheet: drivers and ECC keep some.
const memoryTolerance = 0.1

var words = regexp.MustCompile(`[A-Z]+[0-9]*[A-Z]*|[0-9]+[A-Z]*`)

// known finds the card of package hardware that a driver calls by another name, such as "NVIDIA A100-SXM4-40GB". Cards of one name
// differ in their memory.
func known(c run.Card) string {
	name := words.FindAllString(strings.ToUpper(c.Name), -1)
	best, distance := "", memoryTolerance
	for _, h := range hardware.Names() {
		card := hardware.Lookup(h)
		family, _, _ := strings.Cut(strings.ToUpper(card.Name), "-")
		if !holds(name, family) {
			continue
		}
		want := float64(card.VisibleMiB) * (1 << 20)
		if off := math.Abs(float64(c.Memory)-want) / want; off <= distance {
			best, distance = card.Name, off
		}
	}
	return best
}

// holds reports whether one word of a name, or several behind each other as in "RTX 4090", are a family of cards.
func holds(name []string, family string) bool {
	for i := range name {
		for j := i + 1; j <= len(name); j++ {
			if strings.Join(name[i:j], "") == family {
				return true
			}
		}
	}
	return false
}

// slotsOf gives each card a slot. Names that the operator gave count instead of the driver's.
func slotsOf(seen []run.Card, named []string) (slots []slot, notes []string, err error) {
	if len(named) > len(seen) {
		return nil, nil, fmt.Errorf("--cards names %d cards, and PyTorch sees %d", len(named), len(seen))
	}
	visible := strings.Split(os.Getenv("CUDA_VISIBLE_DEVICES"), ",")
	for i, c := range seen {
		name := known(c)
		if len(named) > 0 {
			if i >= len(named) {
				break
			}
			card := hardware.Lookup(named[i])
			if card == nil {
				return nil, nil, fmt.Errorf("--cards names %q: there are %s", named[i], strings.Join(hardware.Names(), ", "))
			}
			name = card.Name
		}
		if name == "" {
			notes = append(notes, fmt.Sprintf("%s with %d MiB is no card that has a price; --cards can name what it counts as", c.Name, c.Memory>>20))
			continue
		}
		at := strconv.Itoa(i)
		if visible[0] != "" && i < len(visible) {
			at = strings.TrimSpace(visible[i])
		}
		slots = append(slots, slot{name, at})
	}
	return slots, notes, nil
}

// simulated are the datasets of a worker that computes nothing: all of them, because it reads none.
func simulated() []string { return training.DatasetNames() }
