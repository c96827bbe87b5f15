package runfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// parseJSON reads one object, strictly: a key stands once, and nothing follows.
func parseJSON(data []byte) (value, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	r := &jsonReader{data: data, d: jsontext.NewDecoder(bytes.NewReader(data))}
	top, err := r.read(value{}, 0)
	if err == nil {
		if _, more := r.d.ReadToken(); !errors.Is(more, io.EOF) {
			err = Fault{Line: r.line(), Message: "is not JSON: something follows the object"}
		}
	}
	return top, err
}

type jsonReader struct {
	data   []byte
	d      *jsontext.Decoder
	values int
	seen   int64 // bytes whose lines are counted
	lines  int
}

// line is that of the byte that is read next.
func (r *jsonReader) line() int {
	at := min(r.d.InputOffset(), int64(len(r.data)))
	if at > r.seen {
		r.lines += bytes.Count(r.data[r.seen:at], []byte("\n"))
		r.seen = at
	}
	return r.lines + 1
}

func (r *jsonReader) fail(v value, err error) error {
	var duplicate *jsontext.SyntacticError
	message := "is not JSON"
	if errors.As(err, &duplicate) && duplicate.Err != nil {
		message += ": " + clip(duplicate.Err.Error())
	}
	return Fault{Line: r.line(), Path: v.path, Message: message}
}

func (r *jsonReader) read(v value, depth int) (value, error) {
	t, err := r.d.ReadToken()
	if err != nil {
		return v, r.fail(v, err)
	}
	if v.line == 0 {
		v.line = r.line()
	}
	if r.values++; r.values > maxValues {
		return v, Fault{Line: v.line, Path: v.path, Message: fmt.Sprintf("has more than %d values", maxValues)}
	}
	if depth > maxDepth {
		return v, tooDeep(v)
	}
	switch t.Kind() {
	case 'n':
		v.kind = null
	case 't', 'f':
		v.kind, v.text = boolean, strconv.FormatBool(t.Bool())
	case '"':
		v.kind, v.text = text, t.String()
	case '0':
		return plain(v, t.String()), nil
	case '[':
		return r.array(v, depth)
	case '{':
		return r.object(v, depth)
	default:
		return v, r.fail(v, nil)
	}
	return v, nil
}

func (r *jsonReader) array(v value, depth int) (value, error) {
	v.kind = list
	for r.d.PeekKind() != ']' {
		w, err := r.read(value{path: item(v.path, len(v.list))}, depth+1)
		if err != nil {
			return v, err
		}
		v.list = append(v.list, w)
	}
	_, err := r.d.ReadToken()
	return v, r.end(v, err)
}

func (r *jsonReader) object(v value, depth int) (value, error) {
	v.kind = mapping
	for r.d.PeekKind() != '}' {
		key, err := r.d.ReadToken()
		if err != nil {
			return v, r.fail(v, err)
		}
		name, line := key.String(), r.line()
		path, err := v.below(name, line)
		if err != nil {
			return v, err
		}
		w, err := r.read(value{path: path, line: line}, depth+1)
		if err != nil {
			return v, err
		}
		v.add(name, w)
	}
	_, err := r.d.ReadToken()
	return v, r.end(v, err)
}

func (r *jsonReader) end(v value, err error) error {
	if err == nil {
		return nil
	}
	return r.fail(v, err)
}
