package check

// EvaluateData is how a trained model did.
type EvaluateData struct {
	Run *struct{} `json:"run"` // null: there is no training run to evaluate
}

// evaluateStage is the result of a run. A model that was never trained has none, and that is no fault of it.
func evaluateStage(*walk) Stage {
	return Stage{Stage: "evaluate", Status: OK, Headline: "nothing to evaluate before a training run", Data: EvaluateData{}}
}
