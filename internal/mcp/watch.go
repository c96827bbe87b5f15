package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A file is looked at so often. Two lookups of one file take some microseconds.
const watchPause = 200 * time.Millisecond

// maxWatched bounds the addresses that are watched.
const maxWatched = 64

// watcher tells subscribers that a file has changed. It looks instead of being told: that works on every system and file system, and
// inside a root that links must not lead out of.
type watcher struct {
	server *Server
	lock   sync.Mutex
	seen   map[string]watched // by address
}

type watched struct {
	file  string
	state string
	count int // subscriptions
}

// subscribe begins to watch what an address is of. Pages of rules and types never change.
func (s *Server) subscribe(_ context.Context, req *sdk.SubscribeRequest) error {
	file, _, err := s.fileOf(req.Params.URI)
	if err != nil {
		if _, _, pageErr := s.resource(context.Background(), req.Params.URI); pageErr == nil {
			return nil
		}
		return notReadable(req.Params.URI, err)
	}
	path, err := s.locate(file)
	if err != nil {
		return notReadable(req.Params.URI, err)
	}
	s.watch.lock.Lock()
	defer s.watch.lock.Unlock()
	w, known := s.watch.seen[req.Params.URI]
	if !known && len(s.watch.seen) >= maxWatched {
		return fmt.Errorf("%d resources are watched already: unsubscribe from one", maxWatched)
	}
	if s.watch.seen == nil {
		s.watch.seen = map[string]watched{}
	}
	if !known {
		w = watched{file: path, state: s.state(path)}
	}
	w.count++
	s.watch.seen[req.Params.URI] = w
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	s.watch.lock.Lock()
	defer s.watch.lock.Unlock()
	if w, ok := s.watch.seen[req.Params.URI]; ok {
		if w.count--; w.count > 0 {
			s.watch.seen[req.Params.URI] = w
		} else {
			delete(s.watch.seen, req.Params.URI)
		}
	}
	return nil
}

// state is what changes with a file; the empty string where it is not there.
func (s *Server) state(path string) string {
	info, err := s.root.Stat(path)
	if err != nil {
		return ""
	}
	state := fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	if info.IsDir() {
		state += s.signature(path)
	}
	return state
}

// run looks until the context ends.
func (w *watcher) run(ctx context.Context) {
	tick := time.NewTicker(watchPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, uri := range w.changed() {
			if err := w.server.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}); err != nil && ctx.Err() == nil {
				w.server.log.Error("cannot tell of a change", "error", err.Error())
			}
		}
	}
}

func (w *watcher) changed() []string {
	w.lock.Lock()
	defer w.lock.Unlock()
	var out []string
	for uri, was := range w.seen {
		if now := w.server.state(was.file); now != was.state {
			was.state = now
			w.seen[uri] = was
			out = append(out, uri)
		}
	}
	return out
}
