package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// peers is a listener that bounds connections: all together, and those of one address. Where there is no place left, the
// connection that has been idle for longest makes one, so that nobody keeps others out by doing nothing. Where none is idle, one
// more of the same address is closed, and one more of all waits.
type peers struct {
	net.Listener
	limits Limits
	shed   func(reason string)
	closed chan struct{}
	once   sync.Once
	place  chan struct{} // holds one where a connection has closed since it was last looked

	mu   sync.Mutex
	open map[*peer]struct{}
	of   map[netip.Addr]int
}

// peer is a connection that gives its place back when it closes.
type peer struct {
	net.Conn
	list *peers
	from netip.Addr // a whole /64 of IPv6; not valid where the limit for one address does not hold
	idle bool       // no request of it is being answered
	at   time.Time  // since when
	gone bool
}

func newPeers(l net.Listener, limits Limits, shed func(string)) *peers {
	return &peers{Listener: l, limits: limits, shed: shed, closed: make(chan struct{}), place: make(chan struct{}, 1),
		open: map[*peer]struct{}{}, of: map[netip.Addr]int{}}
}

func (l *peers) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		p := &peer{Conn: c, list: l, from: l.address(c), idle: true, at: time.Now()}
		switch in, err := l.admit(p); {
		case err != nil:
			_ = c.Close()
			return nil, err
		case in:
			return p, nil
		}
		l.shed("address")
		_ = c.Close()
	}
}

// address is whose connection it is, for the limit of one address.
func (l *peers) address(c net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	a := at.Addr().Unmap().WithZone("")
	if err != nil || l.limits.PerAddress == 0 || l.limits.Shared != nil && l.limits.Shared(a) {
		return netip.Addr{}
	}
	if a.Is6() {
		p, _ := a.Prefix(64) // cannot fail: the address has 128 bits
		a = p.Addr()
	}
	return a
}

// admit finds a place for a connection, and waits for one where all are in use.
func (l *peers) admit(p *peer) (bool, error) {
	for {
		l.mu.Lock()
		full := p.from.IsValid() && l.of[p.from] >= l.limits.PerAddress
		if full && !l.evict(func(o *peer) bool { return o.from == p.from }) {
			l.mu.Unlock()
			return false, nil
		}
		if len(l.open) < l.limits.Connections || l.evict(func(*peer) bool { return true }) {
			l.open[p] = struct{}{}
			if p.from.IsValid() {
				l.of[p.from]++
			}
			l.mu.Unlock()
			return true, nil
		}
		l.mu.Unlock()
		select {
		case <-l.place:
		case <-l.closed:
			return false, net.ErrClosed
		}
	}
}

// evict closes the connection that has been idle for longest, of an address that has the most. The caller holds the lock.
func (l *peers) evict(which func(*peer) bool) bool {
	var found *peer
	for p := range l.open {
		if !p.idle || !which(p) {
			continue
		}
		if found == nil || l.of[p.from] > l.of[found.from] || l.of[p.from] == l.of[found.from] && p.at.Before(found.at) {
			found = p
		}
	}
	if found == nil {
		return false
	}
	l.shed("idle")
	l.leave(found)
	_ = found.Conn.Close()
	return true
}

// leave gives a place back, once. The caller holds the lock.
func (l *peers) leave(p *peer) {
	if p.gone {
		return
	}
	p.gone = true
	delete(l.open, p)
	if p.from.IsValid() {
		if l.of[p.from]--; l.of[p.from] == 0 {
			delete(l.of, p.from)
		}
	}
	select {
	case l.place <- struct{}{}:
	default:
	}
}

func (l *peers) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// state follows what net/http does with a connection: one whose header is being read is idle still.
func (l *peers) state(c net.Conn, s http.ConnState) {
	p, ok := c.(*peer)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p.idle, p.at = s == http.StateNew || s == http.StateIdle, time.Now()
}

// CloseWrite lets net/http end its side first, so that a caller who is still sending can read why it was refused.
func (p *peer) CloseWrite() error {
	if w, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

func (p *peer) Close() error {
	err := p.Conn.Close()
	p.list.mu.Lock()
	defer p.list.mu.Unlock()
	p.list.leave(p)
	return err
}
