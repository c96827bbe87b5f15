package torch

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

const packing = `import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.LSTM(8, 4, batch_first=True)
        self.f = nn.Linear(4, 2)
    def forward(self, x):
        packed, _ = self.r(pack_padded_sequence(x, x.sum((1, 2)), batch_first=True))
        return self.f(%s)
`

// TestPackedSequencesAreTuples holds that the tensors of a PackedSequence are read by name and by place as what they are: of a number of rows
// that the lengths decide. A fifth is missing in Python, too.
func TestPackedSequencesAreTuples(t *testing.T) {
	for code, want := range map[string]string{
		"packed[0]":        "depends on their lengths",
		"packed.data":      "depends on their lengths",
		"list(packed)[-4]": "depends on their lengths",
		"packed[4]":        "IndexError: tuple index 4 is out of range",
	} {
		m, err := importAt(context.Background(), write(t, fmt.Sprintf(packing, code)), "m.py", "Net", Options{Inputs: []Input{input(t, "5x8")}})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(m.Problems)
		}
		if !strings.Contains(got, want) || strings.Contains(got, "subscriptable") {
			t.Errorf("%s: says %s, want %q", code, got, want)
		}
	}
}
