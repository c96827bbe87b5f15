package fence

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Texts is a file system of texts, with what is in another one behind them, which may be nil. No folder can be listed.
type Texts struct {
	Over map[string]string // by their names
	Rest fs.FS
}

// Open makes this an fs.FS.
func (m *Texts) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if text, ok := m.Over[name]; ok {
		return &opened{strings.NewReader(text), stat{name, int64(len(text)), 0o444}}, nil
	}
	for known := range m.Over {
		if strings.HasPrefix(known, name+"/") {
			return &opened{strings.NewReader(""), stat{name, 0, fs.ModeDir | 0o555}}, nil
		}
	}
	if m.Rest != nil {
		return m.Rest.Open(name)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type opened struct {
	io.Reader
	info stat
}

func (o *opened) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *opened) Close() error               { return nil }

type stat struct {
	name string
	size int64
	mode fs.FileMode
}

func (s stat) Name() string       { return path.Base(s.name) }
func (s stat) Size() int64        { return s.size }
func (s stat) Mode() fs.FileMode  { return s.mode }
func (s stat) ModTime() time.Time { return time.Time{} }
func (s stat) IsDir() bool        { return s.mode.IsDir() }
func (s stat) Sys() any           { return nil }
