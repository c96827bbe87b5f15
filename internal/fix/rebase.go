package fix

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/patch"
)

// rebase brings the edits of patches that were made one after the other to the files as they were sent. Patches of one file that touch the
// same bytes become one.
func (p *project) rebase(out *Result) error {
	made := map[string][]patch.Edit{} // so far, by path, in bytes of the files as they were sent
	merged := map[string]bool{}
	for i := range out.Patches {
		pt := &out.Patches[i]
		edits, ok := original(made[pt.Path], pt.Edits)
		if !ok {
			merged[pt.Path] = true
			continue
		}
		pt.Edits = edits
		made[pt.Path] = append(made[pt.Path], edits...)
	}
	for path := range merged {
		p.merge(out, path)
	}
	for i := range out.Patches {
		pt := &out.Patches[i]
		changed, err := patch.Apply(p.Files, pt.Edits)
		if err != nil {
			return err
		}
		for j, f := range p.Files {
			if f.Path != pt.Path {
				continue
			}
			if pt.Diff, err = patch.Diff(f, changed[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// original gives edits the offsets that they have without those that were made before. It fails where one is inside what was written by them.
func original(made, edits []patch.Edit) ([]patch.Edit, bool) {
	made = slices.Clone(made)
	slices.SortFunc(made, func(a, b patch.Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	out := slices.Clone(edits)
	for i := range out {
		e, shift := &out[i], 0
		for _, m := range made {
			from, to := m.Start+shift, m.Start+shift+len(m.New) // of what it wrote, in the text as it is now
			if e.Start < to && e.End > from || e.Start == from && e.End == to {
				return nil, false
			}
			if e.Start >= to {
				shift += len(m.New) - (m.End - m.Start)
			}
		}
		e.Start, e.End = e.Start-shift, e.End-shift
	}
	return out, true
}

// merge makes one patch of all those of a file: from the first byte that differs to the last.
func (p *project) merge(out *Result, path string) {
	first := -1
	kept := out.Patches[:0]
	for _, pt := range out.Patches {
		switch {
		case pt.Path != path:
			kept = append(kept, pt)
		case first < 0:
			first = len(kept)
			kept = append(kept, pt)
		default:
			one := &kept[first]
			one.FindingTitles, one.Findings = append(one.FindingTitles, pt.FindingTitles...), append(one.Findings, pt.Findings...)
			one.Why, one.ParamsAfter = one.Why+"; then "+pt.Why, pt.ParamsAfter
		}
	}
	out.Patches = kept
	was, is := textOf(p.Files, path), textOf(out.Files, path)
	a := 0
	for a < min(len(was), len(is)) && was[a] == is[a] {
		a++
	}
	z := 0
	for z < min(len(was), len(is))-a && was[len(was)-1-z] == is[len(is)-1-z] {
		z++
	}
	out.Patches[first].Edits = []patch.Edit{{Path: path, Start: a, End: len(was) - z, New: is[a : len(is)-z]}}
}

func textOf(files []patch.File, path string) string {
	for _, f := range files {
		if f.Path == path {
			return f.Text
		}
	}
	return ""
}
