package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
)

const decoder = "x: input shape=[4096]\ne: embedding vocabSize=1000 embedDim=64\na: causalAttention embedDim=64 numHeads=4\nh: lmHead embedDim=64 vocabSize=1000\no: output\nx -> e -> a -> h -> o"

// TestCheckAndPlanPriceTheSameLength holds that the length of the dataset is the one that is priced, and that both answers say the same of it.
func TestCheckAndPlanPriceTheSameLength(t *testing.T) {
	model := parse(t, decoder).AppendJSON(nil)
	var last int64
	for _, c := range []struct{ data, asked, says string }{
		{``, ``, "; 2,048 tokens a sample"},
		{`,"data":{"seq_len":128}`, `,"seq_len":128`, "; 128 tokens a sample"},
		{`,"data":{"seq_len":512}`, `,"seq_len":512`, "; 512 tokens a sample"},
	} {
		q, err := Decode(fmt.Appendf(nil, `{"model":%s%s}`, model, c.data), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Decode(fmt.Appendf(nil, `{"model":%s%s}`, model, c.asked), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		got, want := Run(q).Stages[0].Data.(PreflightData), plan.New(r)
		if *got.FLOPs != *want.FLOPs || *got.PeakBytes != want.Memory.PeakBytes || *got.EstCostUSD != *want.Cost.EstCostUSD || got.Assumptions != want.Cost.Assumptions {
			t.Errorf("%s: check says %d FLOPs, %d bytes and $%v, plan %d, %d and $%v", c.data, *got.FLOPs, *got.PeakBytes, got.EstCostUSD, *want.FLOPs, want.Memory.PeakBytes, want.Cost.EstCostUSD)
		}
		if !strings.Contains(got.Assumptions, c.says) {
			t.Errorf("%s: assumes %s", c.data, got.Assumptions)
		}
		if *got.FLOPs == last {
			t.Errorf("%s: the length changes nothing", c.data)
		}
		last = *got.FLOPs
	}
}

func TestALayoutTakesTheLengthOfTheDataset(t *testing.T) {
	model := parse(t, decoder).AppendJSON(nil)
	peak := func(more string) string {
		q, err := Decode(fmt.Appendf(nil, `{"model":%s,"layout":{"dp":1}%s}`, model, more), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(Run(q).Layout.Stages)
	}
	if short, long := peak(`,"data":{"seq_len":128}`), peak(""); short == long {
		t.Errorf("%s whatever the dataset says", long)
	}
}
