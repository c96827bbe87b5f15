package figures

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The members of answers that are figures of the whole model.
var (
	counted  = set("params", "derived", "weightBytes", "weightsGb", "sizeMB", "sizeMBQuantized")
	computed = set("flops", "macs", "balance")
	costs    = set("gradientBytes", "optimizerBytes", "activationBytes", "logitBytes", "peakBytes", "upperBytes", "cardBytes", "trainFootprintBytes",
		"needBytes", "estCostUsd", "refusedRunUsd", "estTrainSec", "costUsd", "costMicroUsd", "stepMicros", "lowUsd", "highUsd", "lowSec", "highSec",
		"activationsGb", "peakGb", "upperGb", "stepSec")
	// Of these there is no lower bound: they are known or null.
	exact = set("savedBytes", "errorPercent", "peakErrorPercent", "memoryDeltaGb", "costDeltaUsd", "latencyMs", "kvBytes")
	// A difference of weights, which is known or null.
	differences = set("paramsDelta", "paramsDeltaPct")
)

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// JSON returns the first member of an answer that is a figure which lacks components, is not null and stands beside no list that names
// them; nil where there is none. Names are what lists around the answer already say.
func (l Lack) JSON(data []byte, names ...string) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return l.value("", v, set(names...))
}

// FirstStage are the components that the first stage of a check names, for JSON: the figures of later stages are of the same model. Other
// answers have no stages.
func FirstStage(body []byte) (names []string) {
	var r struct {
		Stages []struct {
			Data struct{ ParamsWithheld, CostWithheld []string }
		}
	}
	if json.Unmarshal(body, &r) == nil && len(r.Stages) > 0 {
		names = append(r.Stages[0].Data.ParamsWithheld, r.Stages[0].Data.CostWithheld...)
	}
	return names
}

// Strings reads every text inside of an answer, wherever it stands.
func (l Lack) Strings(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return l.strings("", v)
}

func (l Lack) strings(path string, v any) error {
	switch v := v.(type) {
	case string:
		if err := l.Text(v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	case []any:
		for i, item := range v {
			if err := l.strings(fmt.Sprintf("%s[%d]", path, i), item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == "label" { // the name of a card or a device, with its memory
				continue
			}
			if err := l.strings(path+"."+key, v[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Answer reads both the members and the texts of an answer.
func (l Lack) Answer(body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if err = l.JSON(data); err == nil {
		err = l.Strings(data)
	}
	return err
}

func (l Lack) value(path string, v any, named map[string]bool) error {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if err := l.value(fmt.Sprintf("%s[%d]", path, i), item, named); err != nil {
				return err
			}
		}
	case map[string]any:
		if component(v) {
			return l.component(path, v)
		}
		if strings.HasSuffix(path, ".calibration") { // shares of other designs that were measured
			return nil
		}
		return l.object(path, v, named)
	}
	return nil
}

// component reports whether an object describes one component.
func component(v map[string]any) bool {
	_, id := v["id"].(string)
	_, typ := v["type"].(string)
	return id && typ
}

func (l Lack) component(path string, v map[string]any) error {
	id := v["id"].(string)
	for member, lacks := range map[string][]string{"params": l.Params, "flops": l.FLOPs, "savedBytes": l.Memory} {
		if n, is := v[member].(float64); is && slices.Contains(lacks, id) {
			return fmt.Errorf("%s.%s of %s is %v, and nobody knows it", path, member, id, n)
		}
	}
	return nil
}

func (l Lack) object(path string, v map[string]any, named map[string]bool) error {
	named = maps.Clone(named)
	list(v, named)
	for _, inner := range v {
		if o, is := inner.(map[string]any); is {
			list(o, named)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		at := path + "." + key
		if err := l.member(at, key, v[key], named); err != nil {
			return err
		}
		if err := l.value(at, v[key], named); err != nil {
			return err
		}
	}
	return nil
}

// list adds what the lists of an object name.
func list(v map[string]any, named map[string]bool) {
	for key, inner := range v {
		ids, is := inner.([]any)
		if !is || !strings.HasSuffix(strings.ToLower(key), "withheld") {
			continue
		}
		for _, id := range ids {
			if s, is := id.(string); is {
				named[s] = true
			}
		}
	}
}

func (l Lack) member(at, key string, v any, named map[string]bool) error {
	lacks, listed := []string(nil), true
	switch v.(type) {
	case float64:
		switch {
		case counted[key]:
			lacks = l.Params
		case computed[key]:
			lacks, listed = l.FLOPs, false
		case costs[key]:
			lacks = l.Memory
		case exact[key]:
			lacks, listed = l.Memory, false
		case differences[key]:
			lacks, listed = l.Params, false
		}
	case string:
		if key == "fitsGpu" && v != "none" && v != "unknown" {
			lacks, listed = l.Memory, false
		}
	case bool:
		if v == true && (key == "fits" || strings.Contains(at, ".gpuFits.")) {
			lacks, listed = l.Memory, false
		}
	}
	for _, id := range lacks {
		if !listed || !named[id] {
			return fmt.Errorf("%s is %v and lacks %q, which no list beside it names", at, v, id)
		}
	}
	return nil
}
