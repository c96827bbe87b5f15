package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/load"
)

// model is a model that was read.
type model struct {
	graph  *graph.Graph
	inline bool
	path   string // within the root
	data   []byte // of a graph's file
	digest string // of data
	loaded *load.Model
}

// elsewhere is the way to a call with text alone of a tool that does not take textOnly itself.
const elsewhere = "textOnly of check"

// textCall is what a model that reads pictures or sounds is where a caller says so.
func (m *model) textCall(flag string) action.TextCall {
	if m.loaded == nil {
		return action.TextCall{}
	}
	return action.TextCall{Graph: m.loaded.TextOnly, Flag: flag}
}

// attempts is how often a model is read that changes meanwhile.
const attempts = 3

// locate turns a reference into a path within the root. It must not lead out of it, by dots or by links; a path from the root of the
// disk is taken where it lies inside.
func (s *Server) locate(ref string) (string, error) {
	if ref == "" || strings.ContainsRune(ref, 0) {
		return "", refuse(action.CodeNotFound, "", "the path is empty or has a zero byte", "Give a path inside the root.")
	}
	rel := filepath.FromSlash(ref)
	if filepath.IsAbs(rel) {
		inside, err := filepath.Rel(s.real, filepath.Clean(rel))
		if abs, absErr := filepath.Abs(s.config.Root); absErr == nil && (err != nil || !filepath.IsLocal(inside)) {
			inside, err = filepath.Rel(abs, filepath.Clean(rel))
		}
		if err != nil {
			inside = ".."
		}
		rel = inside
	}
	if rel = filepath.Clean(rel); !filepath.IsLocal(rel) {
		return "", s.outside(ref)
	}
	return rel, nil
}

func (s *Server) outside(ref string) error {
	return refuse(codeOutside, "", fmt.Sprintf("%q leads out of the root %s", clip(ref), s.real), "Give a path inside the root, or the graph itself as an object; the one who started the server chooses the root with --root.")
}

func clip(s string) string {
	if len(s) > 120 {
		return strings.ToValidUTF8(s[:120], "") + "…"
	}
	return s
}

// fault explains an error of the root: os.Root refuses what escapes without an error of its own to compare with.
func (s *Server) fault(ref string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		advice := "Give the path of a file inside the root, the id of a bundled model, or the graph itself as an object."
		if near := load.NearestBundled(ref); near != "" {
			advice = "Did you mean the bundled model " + near + "? " + advice
		}
		return refuse(action.CodeNotFound, "", fmt.Sprintf("there is no file or folder %q in the root %s", clip(ref), s.real), advice)
	}
	if strings.Contains(err.Error(), "escapes") {
		return s.outside(ref)
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return refuse(action.CodeNotFound, "", fmt.Sprintf("%q cannot be opened: %v", clip(ref), err), "Give the path of a file inside the root, or the graph itself as an object.")
}

// open reads a model by its path within the root.
func (s *Server) open(ctx context.Context, ref string) (*model, error) {
	path, err := s.locate(ref)
	if err != nil {
		return nil, err
	}
	info, symbol, err := s.stat(&path)
	if err != nil {
		if loaded, ok := load.Bundled(ref); ok && errors.Is(err, fs.ErrNotExist) {
			return &model{graph: loaded.Graph, inline: true, loaded: loaded}, nil
		}
		return nil, s.fault(ref, err)
	}
	switch {
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, refuse(action.CodeNotFound, "", fmt.Sprintf("%q is neither a file nor a folder", clip(ref)), "Give the path of a file inside the root.")
	case !info.IsDir() && symbol == "" && info.Size() <= int64(limits.Bytes):
		data, err := s.read(path)
		if err != nil {
			return nil, err
		}
		if isGraph(path, data) {
			return s.settled(ctx, path, data)
		}
	case strings.EqualFold(filepath.Ext(path), ".graph"):
		return nil, &graph.Error{Code: graph.CodeBytes, Message: fmt.Sprintf("the file has %d bytes", info.Size()), Limit: int64(limits.Bytes)}
	}
	return s.imported(ctx, path, symbol, load.Options{})
}

// stat finds a file. Of file.py:name, which names no file, it takes the name off.
func (s *Server) stat(path *string) (fs.FileInfo, string, error) {
	info, err := s.root.Stat(*path)
	if err == nil {
		return info, "", nil
	}
	if file, symbol, ok := strings.Cut(*path, ".py:"); ok && !strings.ContainsAny(symbol, `/\:`) {
		if info, err := s.root.Stat(file + ".py"); err == nil {
			*path = file + ".py"
			return info, symbol, nil
		}
	}
	return nil, "", err
}

// read reads a file until it is the same twice: one that is written meanwhile is read again.
func (s *Server) read(path string) ([]byte, error) {
	before, err := s.readOnce(path)
	for range attempts {
		if err != nil {
			return nil, err
		}
		var again []byte
		if again, err = s.readOnce(path); err == nil && bytes.Equal(before, again) {
			return again, nil
		}
		before = again
	}
	return nil, changed(path)
}

func changed(path string) error {
	return refuse(codeChanged, "", path+" changed while it was read", "Wait until who writes it has finished, and call again.")
}

func (s *Server) readOnce(path string) ([]byte, error) {
	data, err := fence.ReadFile(fence.In(s.root, "."), filepath.ToSlash(path), int64(limits.Bytes))
	var tooLarge *fence.TooLarge
	switch {
	case errors.As(err, &tooLarge):
		return nil, &graph.Error{Code: graph.CodeBytes, Message: fmt.Sprintf("%s has more than %d bytes", path, limits.Bytes), Limit: int64(limits.Bytes)}
	case err != nil:
		return nil, s.fault(path, err)
	}
	return data, nil
}

// isGraph reports whether a file holds a graph, or a request with one, and not what an importer reads.
func isGraph(path string, data []byte) bool {
	if strings.EqualFold(filepath.Ext(path), ".graph") {
		return true
	}
	var top struct{ Components, Model, Candidates json.RawMessage }
	return strings.EqualFold(filepath.Ext(path), ".json") && (json.Unmarshal(data, &top) != nil || top.Components != nil || top.Model != nil || top.Candidates != nil)
}

// settlePause is how long someone who writes a file in place is given to go on.
const settlePause = 20 * time.Millisecond

// settled reads a graph, and one that is cut off or empty again a moment later: who writes in place leaves it so between two steps.
func (s *Server) settled(ctx context.Context, path string, data []byte) (*model, error) {
	for range attempts {
		m, err := s.graphOf(ctx, path, data)
		if err == nil || ctx.Err() != nil {
			return m, err
		}
		time.Sleep(settlePause)
		again, readErr := s.read(path)
		if readErr != nil {
			return nil, readErr
		}
		if bytes.Equal(again, data) {
			return nil, err
		}
		data = again
	}
	return nil, changed(path)
}

// graphOf reads the text of a graph's file, or the model of a request.
func (s *Server) graphOf(ctx context.Context, path string, data []byte) (*model, error) {
	sum := sha256.Sum256(data)
	m := &model{path: path, data: data, digest: hex.EncodeToString(sum[:])}
	var err error
	if m.loaded, err = load.Open(ctx, hub.Stdin, load.Options{Limits: limits, Hub: hub.Options{Stdin: bytes.NewReader(data), Getenv: noEnv}}); err != nil {
		return nil, fileFault(path, err)
	}
	if m.graph = m.loaded.Graph; m.graph != nil {
		return m, tooLarge(m.graph)
	}
	body, err := graph.DecodeBody(data, limits, func(p string) bool { return p == action.Model })
	if err != nil {
		return nil, err
	}
	inner := body.Member(action.Model)
	if inner == nil || inner.Graph == nil {
		return nil, fileFault(path, errors.New("has no model"))
	}
	m.graph = inner.Graph
	return m, nil
}

// imported reads what is not a graph. Nothing is downloaded and nothing run, and what the model's files link to must lie inside.
func (s *Server) imported(ctx context.Context, path, symbol string, opt load.Options) (*model, error) {
	if err := s.leadsInside(path); err != nil {
		return nil, err
	}
	ref := path
	if symbol != "" {
		ref += ":" + symbol
	}
	opt.Limits, opt.Hub = limits, hub.Options{Getenv: noEnv, Root: s.root}
	for range attempts {
		before := s.signature(path)
		loaded, err := load.Open(ctx, ref, opt)
		if s.signature(path) != before {
			continue
		}
		if err != nil {
			return nil, fileFault(path, err)
		}
		if loaded.Graph == nil {
			return nil, fileFault(path, errors.New("holds no graph"))
		}
		return &model{graph: loaded.Graph, path: path, loaded: loaded}, tooLarge(loaded.Graph)
	}
	return nil, changed(path)
}

// tooLarge holds a graph from a file to the limits of the service.
func tooLarge(g *graph.Graph) error {
	if n := len(g.Components); n > limits.Components {
		return &graph.Error{Code: graph.CodeComponents, Message: fmt.Sprintf("the model has %d components", n), Limit: int64(limits.Components)}
	}
	if n := len(g.Connections); n > limits.Connections {
		return &graph.Error{Code: graph.CodeConnections, Message: fmt.Sprintf("the model has %d connections", n), Limit: int64(limits.Connections)}
	}
	return nil
}

// noEnv keeps what the environment says of caches out: no reference leads there.
func noEnv(string) string { return "" }

// leadsInside refuses a model that is, or lies beside, a link out of the root, so that the answer says why. That nothing outside is read does
// not depend on it: what an importer opens, it opens beneath the root.
func (s *Server) leadsInside(path string) error {
	inside := func(p string) (string, error) {
		target, err := filepath.EvalSymlinks(p)
		if err != nil {
			return "", s.fault(path, err)
		}
		if rel, err := filepath.Rel(s.real, target); err != nil || !filepath.IsLocal(rel) {
			return "", s.outside(p)
		}
		return target, nil
	}
	target, err := inside(filepath.Join(s.real, path))
	if err != nil {
		return err
	}
	dir := target
	if info, err := os.Stat(target); err == nil && !info.IsDir() {
		dir = filepath.Dir(target)
	}
	if strings.EqualFold(filepath.Ext(target), ".py") {
		if _, err := os.Stat(filepath.Join(s.real, "__init__.py")); err == nil {
			return refuse(codeOutside, "", "the root is a Python package, whose imports lead out of it", "Start the server with --root at the folder that holds the package.")
		}
	}
	rel, _ := fence.Within(s.real, dir)
	entries, err := fence.In(s.root, rel).ReadDir(".")
	if err != nil {
		return s.fault(path, err)
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if _, err := inside(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// signature tells whether a file, or one in a folder, was changed.
func (s *Server) signature(path string) string {
	var b strings.Builder
	note := func(info fs.FileInfo, err error) {
		if err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", info.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	note(s.root.Stat(path))
	entries, _ := fence.In(s.root, path).ReadDir(".") // none for a file
	for _, e := range entries {
		note(e.Info())
	}
	return b.String()
}

// fileFault is an error in a file that was named: who wrote the file must correct it.
func fileFault(path string, err error) error {
	var coded *graph.Error
	if errors.As(err, &coded) {
		c := *coded
		c.Message = "in " + path + ": " + c.Message
		return &c
	}
	return refuse(action.CodeFile, "", path+": "+err.Error(), "Correct the file, or give another.")
}
