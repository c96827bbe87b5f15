package arena

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/modelverifier/verifier/internal/seed"
)

func TestListsKeepWhatWasPushed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a Of[int]
		a.Reserve(rapid.IntRange(0, 40).Draw(t, "room"))
		var want, got [][]int
		for i := range rapid.IntRange(1, 30).Draw(t, "lists") {
			list := make([]int, rapid.IntRange(0, 60).Draw(t, "items"))
			for k := range list {
				list[k] = 100*i + k
			}
			if zeros := a.Make(i % 7); !slices.Equal(zeros, make([]int, i%7)) {
				t.Fatalf("made %v", zeros)
			}
			half := len(list) / 2
			a.PushAll(list[:half])
			for _, v := range list[half:] {
				a.Push(v)
			}
			if !slices.Equal(a.Open(), list) {
				t.Fatalf("open: %v, not %v", a.Open(), list)
			}
			want, got = append(want, list), append(got, a.Take())
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("list %d: %v, not %v", i, got[i], want[i])
			}
			_ = append(got[i], -1) // must not reach into the next list
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("list %d was overwritten: %v", i, got[i])
			}
		}
	})
}

func TestNothingIsLeftBehindClear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a Of[int]
		for range 4 {
			for range rapid.IntRange(0, 9).Draw(t, "lists") {
				list := a.Make(rapid.IntRange(0, 300).Draw(t, "items"))
				for i := range list {
					if list[i] != 0 {
						t.Fatalf("made %v", list)
					}
					list[i] = -1
				}
				a.Reserve(rapid.IntRange(0, 40).Draw(t, "room"))
				a.PushAll(list[:len(list)/3])
				a.Push(-1)
				a.Take()
			}
			a.Push(-1) // and left open
			a.Clear()
			if all := a.chunk[:cap(a.chunk)]; 8*len(all) > kept || slices.ContainsFunc(all, func(v int) bool { return v != 0 }) {
				t.Fatalf("left %v", all)
			}
		}
	})
}
