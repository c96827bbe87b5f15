package rank

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Name is the id of a candidate that has none.
func Name(i int) string { return "candidate-" + strconv.Itoa(i) }

// Tell says of each candidate what a call with text alone is; of further ones nothing is known.
func (r *Request) Tell(texts []action.TextCall) {
	for i := range min(len(texts), len(r.Candidates)) {
		r.Candidates[i].Text = texts[i]
	}
}

// Run ranks candidates. It brings their graphs into canonical form first, in place.
func Run(r *Request) *Result {
	out := &Result{Ranked: []Ranked{}, Calibration: Measured}
	room := r.room
	if room == nil {
		room = new(action.Room)
	}
	for _, c := range r.Candidates {
		one := ranked(c.ID, examine(room, &c), r.Policy)
		one.Notes = c.Notes
		out.Ranked = append(out.Ranked, one)
		room.Clear() // one candidate after the other in the same memory: there may be twenty large ones
	}
	if !oneTask(out.Ranked) {
		for i := range out.Ranked {
			c := &out.Ranked[i]
			c.weight, c.apart = 0, true
		}
	}
	place(out.Ranked, measured, func(c *Ranked, rank int) { c.MeasuredRank = rank })
	place(out.Ranked, func(a, b *Ranked) int { return cmp.Or(measured(a, b), preferred(a, b, r.TieBreak)) }, func(c *Ranked, rank int) { c.Rank = rank })
	out.TieBreak = broken(out.Ranked, r.TieBreak)
	for i := range out.Ranked {
		out.Ranked[i].explain(out.Ranked, r.TieBreak)
	}
	out.Budget = budget(out.Ranked)
	out.recommend(r.TieBreak)
	if r.Examined != nil {
		told := 0
		if out.Recommended != nil {
			told = slices.IndexFunc(r.Candidates, func(c Candidate) bool { return c.ID == *out.Recommended })
		}
		r.Examined.Tell(examine(room, &r.Candidates[told]))
	}
	return out
}

// oneTask reports whether all candidates that run are classifiers of one kind of input into as many classes: what was measured are
// pairs of such designs, and flags that are not asked of one of them cannot put it first.
func oneTask(list []Ranked) bool {
	task := ""
	for i := range list {
		c := &list[i]
		if c.Tier == Blocked {
			continue
		}
		if c.task == "" || task != "" && task != c.task {
			return false
		}
		task = c.task
	}
	return true
}

func examine(room *action.Room, c *Candidate) *action.Study {
	s := room.Examine(c.Model)
	s.Offer(c.Text)
	s.Price(estimate.Options{}, 0)
	return s
}

// ranked writes down what was found out about one candidate.
func ranked(id string, s *action.Study, p *policy.Policy) Ranked {
	blocks, warns := s.Violations(p)
	t := s.Training
	out := Ranked{
		ID: id, Tier: Legal, Blocking: len(s.Blockers) + len(blocks), Warnings: len(s.Warnings) + len(warns), OutcomeFlags: []string{},
		Params: s.Params(), EstCostUSD: s.CostUSD(), FitsGPU: s.FitsGPU(), OtherStageBlockers: []string{}, Reasons: []string{},
		OtherStageWarnings: []string{}, Withheld: s.Withheld, FLOPs: s.FLOPs(), WeightBytes: s.Bytes(t.WeightBytes), TrainFootprintBytes: s.Bytes(t.CardBytes),
		EstTrainSec: s.TrainSec(), GPU: s.GPU(), Range: s.Range(), ParamsWithheld: s.ParamsWithheld, CostWithheld: s.CostWithheld,
		costMicroUSD: t.CostMicroUSD, unpriced: unpriced(s), whole: s.Whole(), crashes: !s.Runs(), task: rules.Task(s.Walked),
	}
	if out.Blocking > 0 {
		out.Tier = Blocked
	}
	out.Fired = slices.Grow(out.Fired, len(s.Findings))
	for _, f := range s.Findings {
		out.Fired = append(out.Fired, f.Rule.ID)
	}
	for _, f := range rules.Weighed(s.Walked, s.Findings) {
		if !slices.Contains(out.OutcomeFlags, f.Rule.ID) {
			out.OutcomeFlags = append(out.OutcomeFlags, f.Rule.ID)
			out.weight += f.Rule.Weight()
		}
	}
	slices.Sort(out.OutcomeFlags)
	for _, f := range append(s.Blockers[:len(s.Blockers):len(s.Blockers)], blocks...) {
		out.Reasons = append(out.Reasons, f.Stage+": "+f.Detail)
	}
	out.pastPreflight(s)
	return out
}

// pastPreflight reports what check finds behind the graph itself, in a model that gets as far.
func (c *Ranked) pastPreflight(s *action.Study) {
	if !s.Runs() {
		return
	}
	for _, stage := range []string{action.Train, action.Deploy} {
		for _, f := range s.Obstacles(stage) {
			into := &c.OtherStageWarnings
			if f.Severity == rules.Block {
				into = &c.OtherStageBlockers
			} else {
				c.Warnings++
			}
			*into = append(*into, f.Stage+": "+f.Title)
		}
	}
}

// unpriced says why there is no price, or what the price lacks; it is empty where it is whole.
func unpriced(s *action.Study) string {
	switch why, bound := s.Unpriced(), s.Bounded(); {
	case why != "":
		return "it has no price: " + why
	case bound != "":
		return "its price is a lower bound: " + bound
	}
	return ""
}

// measured compares two candidates by what has been measured: whether they run, and what the rules with a measured link to trained
// outcomes that fired weigh together.
func measured(a, b *Ranked) int {
	if a.Tier != b.Tier {
		return -strings.Compare(a.Tier, b.Tier) // legal before blocked
	}
	if a.Tier == Blocked {
		return 0
	}
	return cmp.Compare(a.weight, b.weight)
}

// preferred compares two candidates that are tied by the caller's rule. Those that are blocked stay tied.
func preferred(a, b *Ranked, rule string) int {
	switch {
	case a.Tier == Blocked || b.Tier == Blocked || rule == "":
		return 0
	case a.compares(rule) != b.compares(rule): // what is known of a part cannot be compared with the whole, so those come last
		if a.compares(rule) {
			return -1
		}
		return 1
	case !a.compares(rule):
		return 0
	case rule == ByCost:
		return cmp.Compare(a.costMicroUSD, b.costMicroUSD)
	case rule == ByParams:
		return cmp.Compare(a.Params, b.Params)
	}
	return 0
}

// compares reports whether the figure that the caller's rule goes by contains every component.
func (c *Ranked) compares(rule string) bool {
	if rule == ByParams {
		return len(c.ParamsWithheld) == 0
	}
	return c.whole
}

// place sorts and gives ranks: those that are equal share one, and the next rank counts them all. Equal ones are listed by id,
// so that the order of the request does not show.
func place(list []Ranked, compare func(a, b *Ranked) int, set func(c *Ranked, rank int)) {
	slices.SortStableFunc(list, func(a, b Ranked) int { return cmp.Or(compare(&a, &b), strings.Compare(a.ID, b.ID)) })
	rank := 1
	for i := range list {
		if i > 0 && compare(&list[i-1], &list[i]) != 0 {
			rank = i + 1
		}
		set(&list[i], rank)
	}
}

// broken says what the caller's rule decided: the places of all candidates in ties that it split.
func broken(list []Ranked, rule string) *TieBreak {
	if rule == "" {
		return nil
	}
	t := &TieBreak{Rule: rule}
	for i := range list {
		split := false
		for j := range list {
			split = split || list[j].MeasuredRank == list[i].MeasuredRank && list[j].Rank != list[i].Rank
		}
		if split {
			t.Decided++
		}
	}
	order := map[string]string{ByCost: "cheapest", ByParams: "smallest"}[rule]
	t.Note = fmt.Sprintf("%s decided by your rule, %s first, and not by measurement; it never moves a candidate across measured ranks and never lifts a blocked one",
		plural(t.Decided, "position was", "positions were"), order)
	return t
}

// explain says how many share the rank, and why.
func (c *Ranked) explain(list []Ranked, rule string) {
	same, sameMeasured := 0, 0
	for i := range list {
		if list[i].Rank == c.Rank {
			same++
		}
		if list[i].MeasuredRank == c.MeasuredRank {
			sameMeasured++
		}
	}
	if same > 1 {
		c.TiedWith = same
	}
	if c.unpriced != "" {
		c.Reasons = append(c.Reasons, c.unpriced)
	}
	if c.Tier == Blocked {
		return // its blockers are the reasons
	}
	c.Reasons = append(c.Reasons, "nothing blocks it")
	c.explainFlags()
	if n := len(c.Withheld); n > 0 {
		c.Reasons = append(c.Reasons, fmt.Sprintf("no verdict is given on %d of its components", n))
	}
	switch {
	case sameMeasured == 1:
	case same < sameMeasured:
		c.Reasons = append(c.Reasons, fmt.Sprintf("tied by measurement with %s; its place was decided by tieBreak %s", plural(sameMeasured-1, "other", "others"), rule))
	default:
		c.Reasons = append(c.Reasons, "tied with "+plural(same-1, "other", "others"))
	}
}

// explainFlags says what the outcome flags did.
func (c *Ranked) explainFlags() {
	n := len(c.OutcomeFlags)
	switch {
	case n == 0:
	case c.apart:
		c.Reasons = append(c.Reasons, "its outcome flags order nothing here: not all candidates are classifiers of the same input and number of classes, and only such were measured")
	default:
		c.Reasons = append(c.Reasons, fmt.Sprintf("%s linked to worse trained outcomes, and weigh %d together: %s",
			plural(n, "finding is", "findings are"), c.weight, strings.Join(c.OutcomeFlags, ", ")))
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func budget(list []Ranked) Budget {
	b := Budget{Candidates: len(list), WouldNotRun: []string{}}
	for _, c := range list {
		if c.Tier == Blocked {
			b.Blocked++
		}
		if c.crashes {
			b.WouldNotRun = append(b.WouldNotRun, c.ID)
		}
	}
	b.Legal = b.Candidates - b.Blocked
	b.Reclaimed = quantity.Ratio(int64(b.Blocked), int64(max(1, b.Candidates)), 4)
	return b
}

// recommend names the one candidate that is first, if it is alone there and nothing blocks it.
func (r *Result) recommend(rule string) {
	if r.Budget.Legal == 0 {
		r.Recommendation = "Every candidate is blocked: repair one before training."
		return
	}
	top := &r.Ranked[0]
	switch {
	case top.TiedWith > 0:
		r.Recommendation = fmt.Sprintf("%d candidates share the first rank: the choice is yours.", top.TiedWith)
		return
	case r.Ranked[0].MeasuredRank == 1 && len(r.Ranked) > 1 && r.Ranked[1].MeasuredRank == 1:
		r.Recommendation = fmt.Sprintf("%s is first by your tieBreak %s.", top.ID, rule)
	case r.Budget.Legal == 1:
		r.Recommendation = top.ID + " is the only candidate that nothing blocks."
	default:
		r.Recommendation = "Measurement puts " + top.ID + " first."
	}
	r.Recommended = &top.ID
}
