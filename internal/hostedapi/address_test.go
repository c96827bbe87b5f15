package hostedapi_test

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hostedapi"
)

// FuzzClientAddress sends headers that nobody would write. The address is the peer's or one that stands in the header, and the
// header is nothing where the peer is not trusted.
func FuzzClientAddress(f *testing.F) {
	for _, header := range []string{"", "203.0.113.7", "203.0.113.7, 10.0.0.1", "a,,b", "[2001:db8::1]:80, 10.0.0.2", "::ffff:10.0.0.1, fe80::1%eth0", strings.Repeat("10.0.0.1,", 100)} {
		f.Add("10.0.0.9:1234", header)
		f.Add("192.0.2.1:1234", header)
	}
	f.Add("@", "203.0.113.7")
	p, err := hostedapi.ParseProxies("10.0.0.0/8, 127.0.0.1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, peer, header string) {
		got := p.Client(&http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {header}}})
		at, _ := netip.ParseAddrPort(peer)
		own := at.Addr().Unmap().WithZone("")
		if got == own {
			return
		}
		if !own.Is4() || own.As4()[0] != 10 && own != netip.MustParseAddr("127.0.0.1") {
			t.Errorf("%s is believed to speak for %s", peer, got)
		}
		hops := strings.Split(header, ",")
		if !slices.ContainsFunc(hops, func(h string) bool {
			h = strings.TrimSpace(h)
			a, err := netip.ParseAddr(strings.Trim(h, "[]"))
			if err != nil {
				ap, _ := netip.ParseAddrPort(h)
				a = ap.Addr()
			}
			return a.Unmap().WithZone("") == got
		}) {
			t.Errorf("%s is not in %q", got, header)
		}
	})
}
