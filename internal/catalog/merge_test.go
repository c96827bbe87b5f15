package catalog

import (
	"fmt"
	"testing"
)

func TestMergesKeepTheirFactors(t *testing.T) {
	for _, k := range []struct{ typ, in, want string }{
		{"add", "[4] [4]", ""},
		{"multiply", "[4]", ""},
		{"multiply", "[4] [1]", "input1 input0"},
		{"multiply", "int[4] [4]", "input0"},
		{"multiply", "[4,1] [1,5] [4,5] [1,1]", "input1 input0 input2 product1:20 input3 product2:20"},
		{"divide", "[4,1] int[1,5] [4,5]", "input1 input2 quotient1:20"},
		{"divide", "int[4] int[4] [4]", "input2 quotient1:4"},
		{"divide", "int[4] int[4]", ""},
		{"maximum", "[4] int[4]", "input1 input0"},
		{"minimum", "int[4] int[4] [4]", "input2 minimum1:4"},
		{"matmul", "[3,4] [4,5]", "input0 input1"},
		{"matmul", "[1,3,4] [2,4,5]", "stretched first:24 input1"},
		{"matmul", "int[3,4] int[4,5]", ""},
	} {
		_, r := (&Example{In: k.in}).run(t, Lookup(k.typ))
		got := ""
		for _, kept := range r.Kept {
			switch kept.Name {
			case KeptInput:
				got += fmt.Sprint(" input", kept.Input)
			default:
				got += fmt.Sprintf(" %s:%d", kept.Name, kept.Elems)
			}
		}
		if got != "" {
			got = got[1:]
		}
		if r.Err != nil || got != k.want {
			t.Errorf("%s %s keeps %q, want %q (%v)", k.typ, k.in, got, k.want, r.Err)
		}
	}
}

func TestTheInputThatAloneDisagreesIsNamed(t *testing.T) {
	for _, k := range []struct{ typ, in, want string }{
		{"add", "[4,8] [5,8] [4,8]", "input 1 is [5,8] but input 0 is [4,8]: 5 and 4 do not fit on axis 1; the others fit each other"},
		{"add", "[1,8] [4,8] [5,8]", "input 2 is [5,8] but input 1 is [4,8]: 5 and 4 do not fit on axis 1"},
		{"add", "[1] [4] [5] [4]", "input 2 is [5] but input 1 is [4]: 5 and 4 do not fit on axis 1; the others fit each other"},
		{"concatenate", "[8] [2,8] [3,8]", "input 0 is [8] but input 1 is [2,8]: the numbers of axes differ; the others fit each other"},
		{"stack", "[2] [3] [4]", "input 1 is [3] but input 0 is [2]: 3 and 2 do not fit on axis 1"},
	} {
		if _, r := (&Example{In: k.in}).run(t, Lookup(k.typ)); r.Err == nil || r.Err.Message != k.want {
			t.Errorf("%s %s: got %v, want %q", k.typ, k.in, r.Err, k.want)
		}
	}
}
