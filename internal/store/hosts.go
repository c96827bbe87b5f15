package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// hosts connects to one of the servers that an address names: postgres://a,b/db?target_session_attrs=read-write. pgx would begin with the first
// each time, so that a server which has fallen silent keeps everybody from the one that was promoted in its place. Here the one that
// answered last comes first, and after an attempt that ran out of time the next one does.
type hosts struct {
	all   []driver.Connector
	first atomic.Int64
}

// connector connects to whoever the configuration names.
func connector(config *pgx.ConnConfig, options ...stdlib.OptionOpenDB) driver.Connector {
	h := &hosts{}
	for _, one := range apart(config) {
		h.all = append(h.all, stdlib.GetConnector(*one, options...))
	}
	return h
}

// apart makes a configuration of each server. A server stands there several times where TLS is preferred and not required.
func apart(config *pgx.ConnConfig) (out []*pgx.ConnConfig) {
	one := config.Copy()
	one.Fallbacks = nil
	out = append(out, one)
	for _, f := range config.Fallbacks {
		if f.Host == one.Host && f.Port == one.Port {
			one.Fallbacks = append(one.Fallbacks, f)
			continue
		}
		one = config.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks = f.Host, f.Port, f.TLSConfig, nil
		out = append(out, one)
	}
	if len(out) > 1 {
		for _, c := range out {
			c.ConnectTimeout = min(c.ConnectTimeout, connectTimeout/2) // two of them within a call
		}
	}
	return out
}

// Connect tries each server until one takes the connection.
func (h *hosts) Connect(ctx context.Context) (driver.Conn, error) {
	first, many := h.first.Load(), int64(len(h.all))
	var failed error
	for i := range many {
		at := (first + i) % many
		c, err := h.all[at].Connect(ctx)
		if err == nil {
			h.first.Store(at)
			return c, nil
		}
		failed = errors.Join(failed, err)
		if ctx.Err() != nil {
			h.first.CompareAndSwap(first, (at+1)%many) // who tries next does not wait for this one again
			break
		}
	}
	return nil, failed
}

// Driver is pgx's.
func (h *hosts) Driver() driver.Driver { return h.all[0].Driver() }
