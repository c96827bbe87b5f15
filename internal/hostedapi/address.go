package hostedapi

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are those whose word about the caller's address is taken. Nobody else's is.
type Proxies struct{ prefixes []netip.Prefix }

// mostHops is how many addresses of a header are looked at.
const mostHops = 32

// ParseProxies reads a list, with commas between, of addresses and prefixes such as 10.0.0.0/8.
func ParseProxies(list string) (Proxies, error) {
	var p Proxies
	for _, word := range strings.Split(list, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(word)
		if a, failed := netip.ParseAddr(word); failed == nil {
			prefix, err = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
		}
		if err != nil {
			return Proxies{}, fmt.Errorf("%q is no address and no prefix such as 10.0.0.0/8", word)
		}
		p.prefixes = append(p.prefixes, prefix.Masked())
	}
	return p, nil
}

// Trust says whether an address is that of a proxy, through which many callers come.
func (p Proxies) Trust(a netip.Addr) bool { return p.trusts(a) }

func (p Proxies) trusts(a netip.Addr) bool {
	for _, prefix := range p.prefixes {
		if prefix.Contains(a) {
			return true
		}
	}
	return false
}

// Client is the address of whoever sent a request: the last in X-Forwarded-For, read from its end, that is none of the
// proxies. What stands before it anybody can have written. It is not valid where the connection has none.
func (p Proxies) Client(r *http.Request) netip.Addr {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	at := peer.Addr().Unmap().WithZone("")
	if !p.trusts(at) || len(r.Header["X-Forwarded-For"]) == 0 {
		return at
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= max(0, len(hops)-mostHops); i-- {
		a, ok := parseHop(strings.TrimSpace(hops[i]))
		if !ok {
			return at // a proxy of ours did not write this
		}
		if at = a; !p.trusts(a) {
			return at
		}
	}
	return at
}

// parseHop reads an address, with or without a port.
func parseHop(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return a.Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddrPort(s)
	return a.Addr().Unmap().WithZone(""), err == nil
}
