package hostedapi

import (
	"reflect"
	"testing"
)

// TestThePlanIsTakenApart holds that lines that go on belong to their row, and that nothing is lost.
func TestThePlanIsTakenApart(t *testing.T) {
	got := rowsOf("plan        net: runs\nmemory      608.0 MiB on the card, 7.0 KiB\n            allocated at the peak\nfits        T4; T4 yes\n\nshort\n")
	want := []row{{"plan", "net: runs"}, {"memory", "608.0 MiB on the card, 7.0 KiB allocated at the peak"}, {"fits", "T4; T4 yes"}, {"", "short"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}
