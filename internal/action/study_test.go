package action

import (
	"fmt"
	"testing"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
)

// study examines a model in the short notation.
func study(t *testing.T, text string, seqLen int64) *Study {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s := Examine(g)
	s.Price(estimate.Options{}, seqLen)
	return s
}

func decoder(length int, positions string) string {
	return fmt.Sprintf("x: input shape=[%d]\ne: embedding numEmbeddings=100 embeddingDim=16\n%s\nh: lmHead hiddenDim=16 vocabSize=100\no: output\nx -> e -> p -> h -> o", length, positions)
}

const anyLength, upTo4096, upTo64 = "p: identity", "p: learnedPositionalEmbedding maxLen=4096 embedDim=16", "p: learnedPositionalEmbedding maxLen=64 embedDim=16"

func TestLengthOfASample(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  string
		asked int64
		want  Length
	}{
		{"its own where it is shorter than the default", decoder(64, anyLength), 0, Length{Own: 64, Used: 64}},
		{"the default where its own is longer", decoder(4096, upTo4096), 0, Length{Own: 4096, Used: 2048}},
		{"what was asked for", decoder(64, anyLength), 512, Length{Own: 64, Used: 512}},
		{"its own where it does not run at what was asked for", decoder(64, upTo64), 512, Length{Own: 64, Used: 64, Kept: 512}},
		{"its own where it does not run at all", decoder(128, upTo64), 32, Length{Own: 128, Used: 128, Kept: 32}},
		{"none for images", "x: input shape=[3,32,32]\nf: flatten\nl: linear outFeatures=4\no: output\nx -> f -> l -> o", 512, Length{}},
		{"none for integers that no embedding reads", "x: input shape=[4,8]\ne: input shape=[2,9] dtype=int64\ng: gcn inFeatures=8 outFeatures=4\no: output\nx -> g\ne -> g\ng -> o", 512, Length{}},
	} {
		if s := study(t, c.text, c.asked); s.Length != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, s.Length, c.want)
		}
	}
	if short, long := study(t, decoder(64, anyLength), 64), study(t, decoder(64, anyLength), 640); long.Sized.FLOPs != 10*short.Sized.FLOPs || long.Training.PeakBytes <= short.Training.PeakBytes {
		t.Errorf("%d FLOPs and %d bytes at 64 tokens, %d and %d at 640", short.Sized.FLOPs, short.Training.PeakBytes, long.Sized.FLOPs, long.Training.PeakBytes)
	}
	if s := study(t, decoder(64, anyLength), 640); s.InputShape()[0] != 64 || s.Walked.Fingerprint() != study(t, decoder(64, anyLength), 0).Walked.Fingerprint() {
		t.Error("the length changed the graph itself")
	}
}

func TestLayersAndShapes(t *testing.T) {
	s := study(t, "n: stickyNote text=hello\nx: input shape=[]\ny: input shape=[3]\nl: linear inFeatures=3 outFeatures=2\no: output\nq: output\ny -> l -> o\nx -> q", 0)
	if s.Layers() != 1 || s.InputShape() == nil || len(s.InputShape()) != 0 || s.OutputShape().String() != "[2]" || !s.Runs() {
		t.Errorf("%d layers, %v to %v", s.Layers(), s.InputShape(), s.OutputShape())
	}
	s = study(t, "x: input shape=[3]\nc: customModule\nl: linear outFeatures=2\no: output\nx -> c -> l -> o", 0)
	if s.OutputShape() != nil || fmt.Sprint(s.Withheld) != "[c l o]" || !s.Runs() {
		t.Errorf("%v, withheld %v", s.OutputShape(), s.Withheld)
	}
	if s = study(t, "", 0); s.Runs() || s.InputShape() != nil || s.Layers() != 0 || len(s.Blockers) == 0 {
		t.Errorf("an empty graph: %+v", s)
	}
}

func TestARefusedRunIsPricedAsItWasMeant(t *testing.T) {
	const text = "x: input shape=[784]\na: linear inFeatures=%d outFeatures=4096\nr: relu\nb: linear inFeatures=4096 outFeatures=10\no: output\nx -> a -> r -> b -> o"
	meant, failed := study(t, fmt.Sprintf(text, 784), 0), study(t, fmt.Sprintf(text, 700), 0)
	if failed.Runs() || !failed.Repaired || failed.Training.CostMicroUSD != meant.Training.CostMicroUSD || failed.Training.CardBytes != meant.Training.CardBytes {
		t.Errorf("%+v, meant %+v", failed.Training, meant.Training)
	}
	if failed.Params() != meant.Params()-84*4096 || *failed.FLOPs() != *meant.FLOPs() {
		t.Errorf("%d weights and %d FLOPs, want those of the linear layer as it is written and %d", failed.Params(), *failed.FLOPs(), *meant.FLOPs())
	}
	// Without a certain fix what is known is priced, as a lower bound, where all weights are known; and nothing where they are not.
	s := study(t, "x: input shape=[784]\na: linear inFeatures=784 outFeatures=10\nb: maxPool2d kernelSize=2\nc: linear inFeatures=5 outFeatures=7\no: output\nx -> a -> b -> c -> o", 0)
	if s.Repaired || s.Runs() || s.Params() != 7850+42 || !s.Priced() || s.CostUSD() == nil || fmt.Sprint(s.CostWithheld) != "[b c]" || s.FLOPs() != nil || s.Complete() || s.FitsGPU() != NotKnown {
		t.Errorf("%+v", s)
	}
	s = study(t, "x: input shape=[784]\na: nonsense\no: output\nx -> a -> o", 0)
	if s.Repaired || s.Runs() || s.Priced() || s.CostUSD() != nil || fmt.Sprint(s.ParamsWithheld) != "[a]" || s.FLOPs() != nil || s.FitsGPU() != NotKnown || s.GPU() != NotKnown {
		t.Errorf("%+v", s)
	}
}
