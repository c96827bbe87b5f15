package files

import (
	"bytes"
	"io/fs"
	"time"
)

// oneFile is a file system with one file in it.
type oneFile struct {
	name string
	data []byte
}

// Open opens the file, or the folder that it is in.
func (o *oneFile) Open(name string) (fs.File, error) {
	switch name {
	case o.name:
		return &reading{bytes.NewReader(o.data), info{o.name, int64(len(o.data)), 0o444}}, nil
	case ".":
		return &reading{bytes.NewReader(nil), info{".", 0, fs.ModeDir | 0o555}}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type reading struct {
	*bytes.Reader
	info info
}

func (r *reading) Stat() (fs.FileInfo, error) { return r.info, nil }
func (r *reading) Close() error               { return nil }

type info struct {
	name string
	size int64
	mode fs.FileMode
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
