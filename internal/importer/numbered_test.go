package importer

import "testing"

func TestNumberedFilesAreTakenApart(t *testing.T) {
	cases := []struct {
		name       string
		stem       string
		number, of int
		ok         bool
	}{
		{"model-00002-of-00004.x", "model", 2, 4, true},
		{"a-b-00001-of-00001.x", "a-b", 1, 1, true},
		{"sub/a-00001-of-00002.x", "sub/a", 1, 2, true},
		{"model-00005-of-00004.x", "", 0, 0, false},
		{"model-00000-of-00004.x", "", 0, 0, false},
		{"model-1-of-4.x", "", 0, 0, false},
		{"-00001-of-00004.x", "", 0, 0, false},
		{"00001-of-00004.x", "", 0, 0, false},
		{"model-0000a-of-00004.x", "", 0, 0, false},
		{"model.x", "", 0, 0, false},
		{"-of-.x", "", 0, 0, false},
		{"model-00002-of-00004.y", "", 0, 0, false},
	}
	for _, c := range cases {
		stem, number, of, ok := Numbered(c.name, ".x")
		if ok != c.ok || ok && (stem != c.stem || number != c.number || of != c.of) {
			t.Errorf("%s: %s %d %d %v", c.name, stem, number, of, ok)
		}
	}
}
