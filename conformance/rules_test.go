package conformance

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The rules below hold for every answer, whoever wrote the case.

type finding struct{ Stage, Severity, Title, Detail, Fix, RuleID string }

type checkAnswer struct {
	Verdict, Outcome, Summary string
	StoppedAt                 *string
	Findings                  []finding
	Stages                    []struct {
		Stage, Status string
		Data          json.RawMessage
	}
	Decision *struct {
		Question, Because string
		Options           []struct{ Label, Value, Hint string }
	}
}

// each calls f with every answer of status 200 to an action.
func each[T any](t *testing.T, action string, f func(t *testing.T, request []byte, got *T)) {
	t.Helper()
	for _, c := range load(t) {
		if c.Action != action || c.Status != 200 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			_, body := answer(t, c)
			got := new(T)
			if err := json.Unmarshal(body, got); err != nil {
				t.Fatal(err)
			}
			f(t, bodyOf(t, c), got)
		})
	}
}

func TestCheckRulesHoldInEveryAnswer(t *testing.T) {
	order := []string{"preflight", "data", "train", "evaluate", "deploy", "policy"}
	outcomes := []string{"ok", "attention", "needs_input", "blocked"}
	each(t, "check", func(t *testing.T, request []byte, got *checkAnswer) {
		next, stopped, verdict := 0, "", "ok"
		for i, s := range got.Stages {
			if s.Stage != order[i] {
				t.Errorf("stage %d is %s", i, s.Stage)
			}
			if next = max(next, slices.Index(outcomes, s.Status)); s.Status == "needs_input" {
				verdict = "ask"
			}
			if s.Status == "blocked" {
				stopped = s.Stage
				if i != len(got.Stages)-1 {
					t.Errorf("%s is blocked and the walk goes on", s.Stage)
				}
			}
		}
		for i, f := range got.Findings {
			if f.Stage == "policy" {
				next = max(next, map[string]int{"warn": 1, "block": 3}[f.Severity])
			}
			if verdict != "block" {
				verdict = f.Severity // the worst that was found; a finding is worse than a question
			}
			if slices.Contains(got.Findings[:i], f) {
				t.Errorf("finding %d is there twice: %+v", i, f)
			}
			if f.Severity != "block" && f.Severity != "warn" || f.Title == "" || f.Detail == "" {
				t.Errorf("finding %d: %+v", i, f)
			}
			if (f.Stage == "policy") == (f.RuleID != "") && f.Stage != "data" && f.Stage != "train" && f.Stage != "deploy" {
				t.Errorf("finding %d has stage %s and rule %q", i, f.Stage, f.RuleID)
			}
			if i > 0 {
				before := got.Findings[i-1]
				if a, b := slices.Index(order, before.Stage), slices.Index(order, f.Stage); a > b || a == b && before.Severity > f.Severity {
					t.Errorf("finding %d is before %d", i-1, i)
				}
			}
		}
		if got.Verdict != verdict || got.Outcome != outcomes[next] {
			t.Errorf("verdict %s, outcome %s, want %s and %s", got.Verdict, got.Outcome, verdict, outcomes[next])
		}
		if (got.StoppedAt == nil) != (stopped == "") || got.StoppedAt != nil && *got.StoppedAt != stopped {
			t.Errorf("stoppedAt %v, want %q", got.StoppedAt, stopped)
		}
		if stopped == "" && len(got.Stages) != 5 {
			t.Errorf("%d stages ran", len(got.Stages))
		}
		if got.Verdict == "block" && !strings.Contains(got.Summary, "$") && !strings.Contains(got.Summary, "no price is given: ") {
			t.Errorf("a refusal without a price: %s", got.Summary)
		}
		if strings.Count(strings.TrimRight(got.Summary, "."), ". ") > 0 || !strings.HasSuffix(got.Summary, ".") {
			t.Errorf("not one sentence: %s", got.Summary)
		}
		if wired := bytes.Contains(request, []byte(`"data":{`)); got.Decision != nil && stopped != "" || got.Decision == nil && stopped == "" && !wired {
			t.Errorf("decision %v though stopped at %q", got.Decision, stopped)
		}
	})
}

func TestDeployTargetsAreNineAndBestFirst(t *testing.T) {
	want := []string{"browser", "browser-webgpu", "cloud-a100", "cloud-t4", "edge-cpu", "edge-gpu", "edge-tpu", "mobile-android", "mobile-ios"}
	each(t, "check", func(t *testing.T, _ []byte, got *checkAnswer) {
		for _, s := range got.Stages {
			if s.Stage != "deploy" {
				continue
			}
			var d struct {
				Target       string
				Score        float64
				Alternatives []struct {
					ID    string
					Score float64
				}
			}
			if err := json.Unmarshal(s.Data, &d); err != nil {
				t.Fatal(err)
			}
			var ids []string
			for i, a := range d.Alternatives {
				ids = append(ids, a.ID)
				if i > 0 && a.Score > d.Alternatives[i-1].Score {
					t.Errorf("%s is better than the one before it", a.ID)
				}
			}
			if ids[0] != d.Target && d.Target != "unknown" || d.Score != d.Alternatives[0].Score {
				t.Errorf("target %s with %v, the first is %s", d.Target, d.Score, ids[0])
			}
			if slices.Sort(ids); !slices.Equal(ids, want) {
				t.Errorf("targets %v", ids)
			}
		}
	})
}

func TestLintRulesHoldInEveryAnswer(t *testing.T) {
	type lintAnswer struct {
		Verdict  string
		Counts   map[string]int
		Findings []struct{ Rule, Severity string }
		Inferred *struct{ Total, Inferred, ConstructionOrder, UnmodelledMerge int }
	}
	each(t, "lint", func(t *testing.T, request []byte, got *lintAnswer) {
		counts := map[string]int{"block": 0, "warn": 0, "info": 0}
		for _, f := range got.Findings {
			counts[f.Severity]++
		}
		want := "pass"
		switch {
		case counts["block"] > 0:
			want = "fail"
		case counts["warn"] > 0:
			want = "warn"
		}
		if got.Verdict != want || len(counts) != 3 || !equal(counts, got.Counts) {
			t.Errorf("verdict %s, counts %v, want %s and %v", got.Verdict, got.Counts, want, counts)
		}
		if in := got.Inferred; (in != nil) != bytes.Contains(request, []byte(`"inferred"`)) {
			t.Errorf("inferred: %+v", in)
		} else if in != nil && (in.Inferred != in.ConstructionOrder+in.UnmodelledMerge || in.Inferred > in.Total) {
			t.Errorf("inferred does not add up: %+v", in)
		}
	})
}

func equal(a, b map[string]int) bool {
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}

type planAnswer struct {
	Plan struct {
		Version int
		Summary string
		Model   struct{ Fingerprint string }
		Run     struct {
			Legal              bool
			Blockers, Warnings []finding
			Withheld           []string
		}
		Cost struct{ EstCostUsd, RefusedRunUsd json.Number }
		Diff *struct {
			Changed         int
			Lines           []string
			LegalityChanged *string
		}
		Policy  struct{ Violations int }
		History json.RawMessage
	}
	Text, Markdown string
}

func TestPlanRulesHoldInEveryAnswer(t *testing.T) {
	each(t, "plan", func(t *testing.T, request []byte, got *planAnswer) {
		p := &got.Plan
		if p.Version != 1 || p.History != nil {
			t.Errorf("version %d, history %s", p.Version, p.History)
		}
		if p.Run.Legal != (len(p.Run.Blockers) == 0) {
			t.Errorf("legal %v with %d blockers", p.Run.Legal, len(p.Run.Blockers))
		}
		if want := map[bool]json.Number{true: "", false: p.Cost.EstCostUsd}[p.Run.Legal]; p.Cost.RefusedRunUsd != want {
			t.Errorf("refusedRunUsd %q, want %q", p.Cost.RefusedRunUsd, want)
		}
		violations := 0
		for _, f := range slices.Concat(p.Run.Blockers, p.Run.Warnings) {
			if f.Stage == "policy" {
				violations++
			}
		}
		if violations != p.Policy.Violations {
			t.Errorf("%d violations, %d findings of the policy", p.Policy.Violations, violations)
		}
		hasBase := bytes.Contains(request, []byte(`"base":{`))
		if (p.Diff != nil) != hasBase {
			t.Errorf("diff %v with base %v", p.Diff, hasBase)
		}
		if p.Diff != nil && p.Diff.Changed == 0 && len(p.Diff.Lines) > 0 {
			t.Errorf("nothing changed and %v", p.Diff.Lines)
		}
		if !strings.HasPrefix(got.Markdown, "<!--") || strings.Contains(got.Text, "\t") {
			t.Errorf("no hidden tag in front of the comment, or tabs in the text: %.80s", got.Markdown)
		}
	})
}

func TestRankRulesHoldInEveryAnswer(t *testing.T) {
	type rankAnswer struct {
		Ranked []struct {
			ID, Tier                                         string
			Rank, MeasuredRank, TiedWith, Blocking, Warnings int
			OutcomeFlags, OtherStageBlockers, Reasons        []string
		}
		Recommended *string
		Budget      struct {
			Candidates, Blocked, Legal int
			WouldNotRun                []string
			Reclaimed                  float64
		}
		TieBreak    *struct{ Decided int }
		Calibration map[string]json.RawMessage
	}
	each(t, "rank", func(t *testing.T, request []byte, got *rankAnswer) {
		first, blocked := 0, 0
		for i, c := range got.Ranked {
			same := 0
			for j, d := range got.Ranked {
				if d.Rank == c.Rank {
					same++
					if j < i && c.Rank != got.Ranked[i-1].Rank {
						t.Errorf("%s is apart from its tie", c.ID)
					}
				}
			}
			if i > 0 && c.Rank != got.Ranked[i-1].Rank && c.Rank != i+1 || i == 0 && c.Rank != 1 {
				t.Errorf("%s has rank %d at position %d", c.ID, c.Rank, i)
			}
			if want := map[bool]int{true: 0, false: same}[same == 1]; c.TiedWith != want {
				t.Errorf("%s is tied with %d, want %d", c.ID, c.TiedWith, want)
			}
			if c.Rank != c.MeasuredRank && got.TieBreak == nil || c.MeasuredRank > c.Rank {
				t.Errorf("%s has rank %d and measured %d", c.ID, c.Rank, c.MeasuredRank)
			}
			if (c.Tier == "blocked") != (c.Blocking > 0) || len(c.Reasons) == 0 {
				t.Errorf("%s is %s with %d blockers for %v", c.ID, c.Tier, c.Blocking, c.Reasons)
			}
			if c.Tier == "blocked" {
				blocked++
			} else if blocked > 0 {
				t.Errorf("%s runs and stands behind one that does not", c.ID)
			}
			if c.Rank == 1 {
				first++
			}
			if moved := c.Rank != c.MeasuredRank; moved && !strings.Contains(strings.Join(c.Reasons, " "), "tieBreak") {
				t.Errorf("%s was moved silently: %v", c.ID, c.Reasons)
			}
		}
		alone := first == 1 && got.Ranked[0].Tier == "legal"
		if (got.Recommended != nil) != alone || alone && *got.Recommended != got.Ranked[0].ID {
			t.Errorf("recommended %v with %d in the first place", got.Recommended, first)
		}
		b := got.Budget
		if b.Candidates != len(got.Ranked) || b.Blocked != blocked || b.Legal != b.Candidates-blocked || len(b.WouldNotRun) > blocked {
			t.Errorf("budget %+v", b)
		}
		if exact := float64(blocked) / float64(len(got.Ranked)); b.Reclaimed < exact-0.00005 || b.Reclaimed > exact+0.00005 {
			t.Errorf("reclaimed %v, want %v", b.Reclaimed, exact)
		}
		if (got.TieBreak != nil) != bytes.Contains(request, []byte(`"tieBreak":"`)) {
			t.Errorf("tieBreak %v", got.TieBreak)
		}
		for _, part := range []string{"exclusion", "ordering"} {
			if raw := got.Calibration[part]; !bytes.HasPrefix(raw, []byte("{")) {
				t.Errorf("calibration.%s is %s", part, raw)
			}
		}
	})
}
