package check

// EvaluateData is how a trained model did.
type EvaluateData struct {
	Run *LastRun `json:"run"` // null: there is no training run to evaluate
}

// evaluateStage is the result of a run. A model that was never trained has none, and that is no fault of it.
func evaluateStage(w *walk) Stage {
	s := Stage{Stage: "evaluate", Status: OK, Headline: "nothing to evaluate before a training run", Data: EvaluateData{w.request.LastRun}}
	if run := w.request.LastRun; run != nil {
		s.Headline = run.measured() + run.trained()
	}
	return s
}
