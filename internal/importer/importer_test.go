package importer

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCompareNamesEveryTensorThatDiffers(t *testing.T) {
	derived := []Tensor{
		{Name: "b", Shape: []int64{2, 3}}, {Name: "a", Shape: []int64{4}}, {Name: "gone", Shape: []int64{7}}, {Name: "scalar", Shape: []int64{}},
	}
	stored := []Tensor{
		{Name: "scalar", DType: "F32", Shape: nil, Bytes: 4}, {Name: "b", DType: "F32", Shape: []int64{3, 2}, Bytes: 24},
		{Name: "a", DType: "F32", Shape: []int64{4}, Bytes: 16}, {Name: "new", DType: "F32", Shape: []int64{5}, Bytes: 20},
	}
	want := Report{
		Derived: Total{4, 18, 0}, Stored: Total{4, 16, 64}, Matched: 2,
		Missing:   []Tensor{{Name: "gone", Shape: []int64{7}}},
		Extra:     []Tensor{{Name: "new", DType: "F32", Shape: []int64{5}, Bytes: 20}},
		Different: []Difference{{"b", []int64{2, 3}, []int64{3, 2}}},
	}
	got := Compare(derived, stored)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Agrees() {
		t.Error("lists that differ agree")
	}
	if s := got.String(); s != "2 tensors are stored as derived, 1 missing, 1 extra, 1 of another shape" {
		t.Error(s)
	}
	if s := got.Different[0].String(); s != "b: derived [2,3], stored [3,2]" {
		t.Error(s)
	}
}

func TestARepeatedNameIsExtra(t *testing.T) {
	a := Tensor{Name: "a", Shape: []int64{1}}
	if r := Compare([]Tensor{a}, []Tensor{a, a}); r.Matched != 1 || len(r.Extra) != 1 || r.Agrees() {
		t.Errorf("%+v", r)
	}
	if r := Compare([]Tensor{a, a}, []Tensor{a}); r.Matched != 1 || len(r.Missing) != 1 || r.Agrees() {
		t.Errorf("%+v", r)
	}
}

func TestTotalsThatDoNotFitAreSaid(t *testing.T) {
	big := Tensor{Name: "big", Shape: []int64{math.MaxInt64, 2}}
	half := Tensor{Name: "half", Shape: []int64{math.MaxInt64}}
	for _, list := range [][]Tensor{{big}, {half, half}, {{Bytes: math.MaxInt64}, {Bytes: 1}}, {{Shape: []int64{-1}}}} {
		if _, ok := Sum(list); ok {
			t.Errorf("%v has a sum", list)
		}
		if r := Compare(list, list); !r.Overflow || r.Agrees() {
			t.Errorf("%v: %+v", list, r)
		}
	}
}

func TestCompareDoesNotDependOnOrder(t *testing.T) {
	tensor := rapid.Custom(func(t *rapid.T) Tensor {
		return Tensor{Name: rapid.StringMatching("[ab]").Draw(t, "name"), Shape: rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 2).Draw(t, "shape")}
	})
	rapid.Check(t, func(t *rapid.T) {
		derived, stored := rapid.SliceOf(tensor).Draw(t, "derived"), rapid.SliceOf(tensor).Draw(t, "stored")
		before := Compare(derived, stored)
		if n := before.Matched + len(before.Different) + len(before.Missing); n != len(derived) {
			t.Fatalf("%d of %d derived tensors are accounted for", n, len(derived))
		}
		if n := before.Matched + len(before.Different) + len(before.Extra); n != len(stored) {
			t.Fatalf("%d of %d stored tensors are accounted for", n, len(stored))
		}
		slices.Reverse(derived)
		slices.Reverse(stored)
		if after := Compare(derived, stored); !reflect.DeepEqual(before, after) {
			t.Fatalf("%+v\n%+v", before, after)
		}
		if !Compare(derived, derived).Agrees() {
			t.Fatal("a list does not agree with itself")
		}
	})
}
