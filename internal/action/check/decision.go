package check

import (
	"fmt"
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Decision is something that only a person can decide. There are three: which shape an
// input has that an importer could not find, which dataset, and whether to spend the money.
type Decision struct {
	Question string   `json:"question"`
	Because  string   `json:"because"` // why it could not be derived
	Options  []Option `json:"options"`
}

// Option is one way to decide.
type Option struct {
	Label string `json:"label"`
	Value string `json:"value"`
	Hint  string `json:"hint"`
}

// decision is the first that is pending: the shape of an input, the dataset, or else the money.
func (w *walk) decision() *Decision {
	if q := w.shapeQuestion(); q != nil {
		return q
	}
	if w.request.Data == nil {
		return w.dataset()
	}
	if w.Priced() && quantity.Significant(w.Training.CostMicroUSD, 2) >= worthAsking {
		return w.spending()
	}
	return nil
}

// worthAsking is the least, in micro-dollars, that a person is asked about: one cent, as the price is shown.
const worthAsking = 10_000

// datasets are those that a training run can be asked for. Their shapes in words are written once.
var datasets = []struct {
	value, label string
	shape        catalog.Shape // nil for rows of any width
	classes      int64
	words        string
}{
	{"mnist", "MNIST: grey images of digits", mnist, 10, mnist.String()},
	{"cifar10", "CIFAR-10: small colour images", cifar, 10, cifar.String()},
	{"tabular", "a table of numbers", nil, 0, ""},
}

var mnist, cifar = catalog.Of(1, 28, 28), catalog.Of(3, 32, 32)

func (w *walk) dataset() *Decision {
	d := &Decision{
		Question: "Which dataset is the model to be trained on?",
		Because:  "no data was sent with the request and nothing in the graph names a dataset; its shapes alone do not",
	}
	in := w.InputShape()
	taken := in.String()
	d.Options = make([]Option, 0, len(datasets)+1)
	for _, s := range datasets {
		o := Option{Label: s.label, Value: s.value}
		switch {
		case s.shape == nil && len(in) == 1:
			o.Hint = quantity.Sprintf("fits if a row has %d numbers", in[0])
		case s.shape == nil:
			o.Hint = "does not fit: the model takes " + taken
		case !s.shape.Equal(in):
			o.Hint = "does not fit: its samples are " + s.words + " and the model takes " + taken
		case w.classes == nil || *w.classes != s.classes:
			o.Hint = fmt.Sprintf("its samples fit, but it has %d classes", s.classes)
		default:
			o.Hint = "fits: " + s.words + " and " + strconv.FormatInt(s.classes, 10) + " classes"
		}
		d.Options = append(d.Options, o)
	}
	d.Options = append(d.Options, Option{"data of your own", "own", "samples must be " + taken})
	return d
}

func (w *walk) spending() *Decision {
	cost := w.PriceText()
	return &Decision{
		Question: fmt.Sprintf("Is a training run for %s to be started?", cost),
		Because:  "it costs money, and nothing in the request says that it may be spent",
		Options: []Option{
			{"start the run", "train", fmt.Sprintf("on %s, %s", w.GPU(), cost)},
			{"do not start it", "hold", "nothing is spent"},
		},
	}
}
