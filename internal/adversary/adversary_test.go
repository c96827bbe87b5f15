package adversary

import "testing"

// TestARequestIsDrawnFromEverySeed holds one seed that left less than no room for what came last.
func TestARequestIsDrawnFromEverySeed(t *testing.T) {
	for _, seed := range []uint64{0x18e8907ee91c5d84, 0, 1, 2, 3} {
		if r := Random(seed); r.Body == "" || len(r.Body) > MostBytes {
			t.Errorf("%s has %d bytes", r.Name, len(r.Body))
		}
	}
}
