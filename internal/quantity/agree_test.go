package quantity

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/graph"
)

func TestOneIsSingular(t *testing.T) {
	for _, c := range []struct {
		format, want string
		args         []any
	}{
		{"%d channels are not divisible by %d", "1 channel is not divisible by 4", []any{int64(1), 4}},
		{"%d channels are not divisible by %d", "2 channels are not divisible by 1", []any{2, 1}},
		{"%d features of the %s are not divisible by %d heads", "1 feature of the queries is not divisible by 3 heads", []any{1, "queries", 3}},
		{"%d keys but %d values arrive", "1 key but 4 values arrive", []any{1, 4}},
		{"%d keys but %d values arrive", "2 keys but 1 value arrives", []any{2, 1}},
		{"there are only %d experts", "there is only 1 expert", []any{1}},
		{"index is %d but there are %d levels, counted from 0", "index is 3 but there is 1 level, counted from 0", []any{3, 1}},
		{"%s epochs of %s samples", "1 epoch of 1 sample", []any{"1", "1"}},
		{"dims has %d entries but %v has %d axes with the batch", "dims has 1 entry but [2] has 2 axes with the batch", []any{1, "[2]", 2}},
		{"%d elements arrive, which cannot be shaped", "1 element arrives, which cannot be shaped", []any{1}},
		{"%s is %d and runs", "1 channels is 1 and runs", []any{"1 channels", 1}},
		{"%d of %d experts", "1 of 1 expert", []any{1, 1}},
		{"%d %% of %d tokens", "1 % of 2 tokens", []any{1, 2}},
		{"the %d elements of %s", "the 1 element of axis 1", []any{1, "axis 1"}},
		{"%.1f GiB and %d rows", "1.0 GiB and 1 row", []any{1.0, 1}},
		{"there are %d mel bands", "there is 1 mel band", []any{1}},
		{"%d of tokens", "1 of tokens", []any{1}},
		{"nothing", "nothing", []any{}},
	} {
		if got := Sprintf(c.format, c.args...); got != c.want {
			t.Errorf("%q of %v is %q, want %q", c.format, c.args, got, c.want)
		}
	}
}

// TestLongArgumentsAreShortened holds that a message quotes a caller's text in part, ours in full, and leaves the arguments as they were.
func TestLongArgumentsAreShortened(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	ints := make([]int64, 1<<20)
	args := []any{long, graph.StringValue(long), graph.IntsValue(ints...), ints, json.Number(strings.Repeat("9", 1<<20)), Own(strings.Repeat("o", 1000)), 7}
	text := Sprintf("%s %s %s %v %s %s %d", args...)
	if n := len(text); n < 1000 || n > 1000+5*(graph.MostQuoted+10)+20 || !strings.Contains(text, strings.Repeat("o", 1000)) || !strings.HasSuffix(text, " 7") || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %s", n, text)
	}
	if args[0] != long || &args[3].([]int64)[0] != &ints[0] {
		t.Error("the arguments were changed")
	}
	if got := Sprintf("%s of %v", "name", []int64{1, 2}); got != "name of [1 2]" {
		t.Error(got)
	}
}
