package ledger

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 999, time.UTC)

func TestAnOutcomeIsRead(t *testing.T) {
	o, err := Decode([]byte(`{"fingerprint":"0a1b2c3d","metric":"val_acc","value":-0.0,"epochs":3.0,"wallSec":12,"estCostUsd":0.5,"source":"nightly","at":"2026-01-02T04:04:04.7+01:00","more":{"a":1}}`), now)
	if err != nil {
		t.Fatal(err)
	}
	want := Outcome{Fingerprint: "0a1b2c3d", Row: Row{time.Date(2026, 1, 2, 3, 4, 4, 0, time.UTC), "val_acc", 0, new(int64(3)), new(12.0), new(0.5), "nightly"}}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got %+v, want %+v", o, want)
	}
	text, err := json.Marshal(o.Row)
	if want := `{"at":"2026-01-02T03:04:04Z","metric":"val_acc","value":0,"epochs":3,"wallSec":12,"estCostUsd":0.5,"source":"nightly"}`; err != nil || string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	o, err = Decode([]byte(`{"fingerprint":"00000000","metric":"loss","value":1e-3,"at":null,"epochs":null}`), now)
	if err != nil || !o.Undated || !o.Row.At.Equal(now.Truncate(time.Second)) {
		t.Errorf("%+v, %v", o, err)
	}
	text, err = json.Marshal(o.Row)
	if want := `{"at":"2026-01-02T03:04:05Z","metric":"loss","value":0.001,"source":"api"}`; err != nil || string(text) != want {
		t.Errorf("what was left out: got %s, want %s", text, want)
	}
}

func TestWhatIsNoOutcomeIsRefusedWithItsPath(t *testing.T) {
	const good = `"fingerprint":"0a1b2c3d","metric":"m","value":1`
	for _, c := range []struct {
		body, path, says string
		status           int
	}{
		{`[`, "", "", 400},
		{`[]`, "", "object", 400},
		{`{}`, "fingerprint", "missing", 400},
		{`{"fingerprint":"0A1B2C3D","metric":"m","value":1}`, "fingerprint", "8 lower-case", 422},
		{`{"fingerprint":"0a1b2c3","metric":"m","value":1}`, "fingerprint", "8 lower-case", 422},
		{`{"fingerprint":7,"metric":"m","value":1}`, "fingerprint", "a string, not", 400},
		{`{"fingerprint":"0a1b2c3d","value":1}`, "metric", "missing", 400},
		{`{"fingerprint":"0a1b2c3d","metric":"","value":1}`, "metric", "empty", 422},
		{`{"fingerprint":"0a1b2c3d","metric":"a\u0000b","value":1}`, "metric", "printable", 422},
		{`{"fingerprint":"0a1b2c3d","metric":"a\nb","value":1}`, "metric", "printable", 422},
		{`{"fingerprint":"0a1b2c3d","metric":"` + strings.Repeat("m", 65) + `","value":1}`, "metric", "at most 64", 422},
		{`{"fingerprint":"0a1b2c3d","metric":"m"}`, "value", "missing", 400},
		{`{"fingerprint":"0a1b2c3d","metric":"m","value":"1"}`, "value", "a number, not", 400},
		{`{"fingerprint":"0a1b2c3d","metric":"m","value":1e999}`, "value", "", 400},
		{`{"fingerprint":"0a1b2c3d","metric":"m","value":{"a":1}}`, "value", "must be", 400},
		{`{` + good + `,"epochs":-1}`, "epochs", "from 0", 422},
		{`{` + good + `,"epochs":1.5}`, "epochs", "an integer", 400},
		{`{` + good + `,"epochs":[1]}`, "epochs", "an integer", 400},
		{`{` + good + `,"wallSec":-0.1}`, "wallSec", "from 0", 422},
		{`{` + good + `,"wallSec":1e11}`, "wallSec", "from 0", 422},
		{`{` + good + `,"estCostUsd":-1}`, "estCostUsd", "from 0", 422},
		{`{` + good + `,"source":"` + strings.Repeat("s", 201) + `"}`, "source", "at most 200", 422},
		{`{` + good + `,"at":"yesterday"}`, "at", "a time such as", 422},
		{`{` + good + `,"at":""}`, "at", "a time such as", 422},
		{`{` + good + `,"at":"2026-01-02T03:10:00Z"}`, "at", "future", 422},
		{`{` + good + `,"at":"1999-12-31T00:00:00Z"}`, "at", "before", 422},
		{`{` + good + `,"metric":"again"}`, "", "", 400},
	} {
		_, err := Decode([]byte(c.body), now)
		var e *graph.Error
		if !errors.As(err, &e) || action.Status(err) != c.status || c.path != "" && e.Path != c.path || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %d, %v; want %d, %s: …%s…", c.body, action.Status(err), err, c.status, c.path, c.says)
		}
	}
}

func TestOutcomesAreTheSameExactlyWhereTheyAreEqual(t *testing.T) {
	base := func() Outcome { return Outcome{Fingerprint: "00000000", Row: Row{At: now, Metric: "ab", Source: "c"}} }
	first := base()
	seen := map[[32]byte]int{first.digest(): -1}
	for i, change := range []func(*Outcome){
		func(o *Outcome) { o.Fingerprint = "00000001" }, func(o *Outcome) { o.Row.Metric, o.Row.Source = "a", "bc" }, func(o *Outcome) { o.Row.Value = 1 },
		func(o *Outcome) { o.Row.WallSec = new(1.0) }, func(o *Outcome) { o.Row.EstCostUSD = new(1.0) }, func(o *Outcome) { o.Row.Epochs = new(int64(1)) },
		func(o *Outcome) { o.Row.WallSec = new(0.0) }, func(o *Outcome) { o.Row.EstCostUSD = new(0.0) }, func(o *Outcome) { o.Row.Epochs = new(int64(0)) },
		func(o *Outcome) { o.Row.At = now.Add(time.Second) }, func(o *Outcome) { o.Undated = true },
	} {
		o := base()
		change(&o)
		if j, taken := seen[o.digest()]; taken {
			t.Errorf("changes %d and %d give the same digest", i, j)
		}
		seen[o.digest()] = i
	}
	again := base()
	if again.digest() != first.digest() {
		t.Error("the same outcome has two digests")
	}
}

// TestTheDigestOfAWholeRowStaysAsItIs holds the digest under which rows are in databases.
func TestTheDigestOfAWholeRowStaysAsItIs(t *testing.T) {
	o := Outcome{Fingerprint: "0a1b2c3d", Row: Row{At: now, Metric: "valAcc", Value: 0.5, Epochs: new(int64(3)), WallSec: new(1.5), EstCostUSD: new(0.25), Source: "api"}}
	if d := o.digest(); hex.EncodeToString(d[:4]) != "d38f331f" {
		t.Errorf("%x", d[:4])
	}
}

// FuzzDecode wants that what is taken is taken again as it is written down, with the same digest.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"fingerprint":"0a1b2c3d","metric":"m","value":1}`))
	f.Add([]byte(`{"fingerprint":"0a1b2c3d","metric":"é","value":-1e-300,"epochs":3.0,"wallSec":1.5,"estCostUsd":2,"source":"s","at":"2026-01-02T04:04:04.7+01:00"}`))
	f.Add([]byte(`{"fingerprint":{},"metric":[],"value":null,"candidates":[{"model":{}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := Decode(body, now)
		if err != nil {
			if status := action.Status(err); status < 400 || status > 422 {
				t.Fatalf("%d: %v", status, err)
			}
			return
		}
		row, err := json.Marshal(o.Row)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode([]byte(fmt.Sprintf(`{"fingerprint":%q,%s`, o.Fingerprint, row[1:])), now)
		again.Undated = o.Undated
		if err != nil || !reflect.DeepEqual(again, o) || again.digest() != o.digest() {
			t.Fatalf("%+v, then %+v, %v", o, again, err)
		}
	})
}
