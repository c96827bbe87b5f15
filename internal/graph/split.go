package graph

import "encoding/json"

// SplitObject returns the members of an object as they are written, nil where the text is none. It looks at nothing inside of them, and of a text
// that is not JSON it returns what it takes for members: whoever reads those must be strict.
func SplitObject(data []byte) map[string]json.RawMessage {
	at := skipSpace(data, 0)
	if at >= len(data) || data[at] != '{' {
		return nil
	}
	members := items(data, at)
	out := make(map[string]json.RawMessage, len(members))
	for _, m := range members {
		out[memberName(data, m)] = data[m.start:m.end]
	}
	return out
}

// extent is a part of a text; key is where the name of a member begins, of what is one.
type extent struct{ key, start, end int }

// memberOf finds a member of the object that begins at a position.
func memberOf(data []byte, at int, name string) (extent, bool) {
	if at >= len(data) || data[at] != '{' {
		return extent{}, false
	}
	for _, m := range items(data, at) {
		if memberName(data, m) == name {
			return m, true
		}
	}
	return extent{}, false
}

func memberName(data []byte, m extent) string {
	var s string
	_ = json.Unmarshal(data[m.key:skipValue(data, m.key)], &s) // the text was read before
	return s
}

// items lists what is in the object or list that begins at a position. The text is JSON.
func items(data []byte, at int) []extent {
	var out []extent
	object := data[at] == '{'
	for at = skipSpace(data, at+1); at < len(data) && data[at] != '}' && data[at] != ']'; {
		m := extent{key: at, start: at}
		if object {
			m.start = skipSpace(data, skipSpace(data, skipValue(data, at))+1)
		}
		if m.end = skipValue(data, m.start); m.end <= m.start {
			break // this is not JSON
		}
		out = append(out, m)
		if at = skipSpace(data, m.end); at < len(data) && data[at] == ',' {
			at = skipSpace(data, at+1)
		}
	}
	return out
}

func skipSpace(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r') {
		at++
	}
	return at
}

// skipValue goes behind the value that begins at a position.
func skipValue(data []byte, at int) int {
	level := 0
	for ; at < len(data); at++ {
		switch data[at] {
		case '"':
			for at++; at < len(data) && data[at] != '"'; at++ {
				if data[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			level++
		case '}', ']':
			if level == 0 {
				return at // of what the value is in
			}
			level--
		case ',', ' ', '\n', '\t', '\r', ':':
			if level == 0 {
				return at
			}
			continue
		default:
			continue // a number, true, false or null goes on
		}
		if level == 0 {
			return min(at+1, len(data))
		}
	}
	return min(at, len(data))
}
