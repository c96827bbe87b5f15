package action

import "github.com/modelverifier/verifier/internal/infer"

// Unread is why an importer could not follow a source to its end, and Asked what it has to be told before it can; both are empty
// for a graph that is all there is.
func (s *Study) Unread() string { return s.firstParam("customModule", "unread") }

// Asked is the question of an importer that does not know the shape of an input.
func (s *Study) Asked() string { return s.firstParam(infer.InputID, "asks") }

func (s *Study) firstParam(typ, name string) string {
	for i := range s.Walked.Nodes {
		n := &s.Walked.Nodes[i]
		if n.Type == nil || n.Type.ID != typ {
			continue
		}
		if v, ok := n.Component.Param(name); ok && v.Str() != "" {
			return v.Str()
		}
	}
	return ""
}

// Followed begins a summary with what was not followed, so that nobody reads the rest as the whole: "" where everything was.
func (s *Study) Followed() string {
	if why := s.Unread(); why != "" {
		lacks := ""
		if n := len(s.ParamsWithheld); n > 0 {
			lacks = ", and " + lacking("weights", s.ParamsWithheld)
		}
		return "The source was followed in part only, as far as " + why + lacks + ". "
	}
	if why := s.Asked(); why != "" && s.Runs() {
		return "Nothing was followed yet: " + why + ". "
	}
	return ""
}
