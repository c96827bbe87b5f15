package pages_test

import (
	"strings"
	"testing"
)

// TestNoAddressIsAFaultOfOurs puts what no database keeps as text wherever an address names something.
func TestNoAddressIsAFaultOfOurs(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		org, ada := s.found("Lab", "ada@example.com")
		for _, bad := range []string{"%00", "a%00b", "%ff", "%c3%28", "%F0%9F", strings.Repeat("a", 3000)} {
			for _, path := range []string{"/settings/" + org + "/api/" + bad + "/revoke", "/settings/" + org + "/plans/" + bad + "/remove", "/settings/" + org + "/people/" + bad + "/role",
				"/settings/" + org + "/people/" + bad + "/remove", "/settings/" + org + "/people/" + bad + "/reset", "/settings/" + org + "/invitations/" + bad + "/remove",
				"/settings/" + bad + "/api", "/account/invitation"} {
				if got := ada.post(path, "role", "viewer", "link", "\x00\xff", "name", "x"); got.status >= 500 {
					t.Errorf("POST %s: %d", path, got.status)
				}
			}
			for _, path := range []string{"/settings/" + bad, "/settings/" + org + "/audit?after=" + bad, "/settings/" + org + "/history?fingerprint=" + bad, "/account/reset?link=" + bad,
				"/account/invitation?link=" + bad, "/account/start?link=" + bad, "/account/sign-in?next=" + bad} {
				if got := ada.get(path); got.status >= 500 {
					t.Errorf("GET %s: %d", path, got.status)
				}
			}
		}
		for _, name := range []string{"\x00", "\xff", "a\x00@example.com"} {
			for _, path := range []string{"/account/sign-in", "/account/start", "/settings/" + org + "/invitations", "/settings/" + org + "/organisation", "/settings/" + org + "/api"} {
				if got := ada.post(path, "email", name, "password", name, "name", name, "organisation", name, "role", name); got.status >= 500 {
					t.Errorf("%q to %s: %d", name, path, got.status)
				}
			}
		}
	})
}
