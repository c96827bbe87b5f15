package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestALoadOnAServiceElsewhere has a service that answers, turns away, and answers otherwise.
func TestALoadOnAServiceElsewhere(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("mv_key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		answer func(n int64, w http.ResponseWriter)
		says   string
	}{
		"answers":    {func(_ int64, w http.ResponseWriter) { w.Write([]byte("{}")) }, ""},
		"turns away": {func(n int64, w http.ResponseWriter) { w.WriteHeader(map[bool]int{true: 200, false: 503}[n%2 == 1]) }, ""},
		"changes": {func(n int64, w http.ResponseWriter) {
			w.Write([]byte(map[bool]string{true: "{}", false: "[]"}[n == 1]))
		}, "answers differ from the first"},
		"refuses": {func(_ int64, w http.ResponseWriter) { w.WriteHeader(401) }, "the first check: map[401:1]"},
		"cuts": {func(n int64, _ http.ResponseWriter) {
			if n > 1 {
				panic(http.ErrAbortHandler)
			}
		}, "without an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer mv_key" || r.URL.Path != "/api/v1/check" {
					t.Errorf("%s %v", r.URL, r.Header)
				}
				c.answer(calls.Add(1), w)
			}))
			defer s.Close()
			r, err := newRemote(s.URL+"/", key, 200, 200*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			err = r.run("/api/v1/check")
			if c.says == "" && (err != nil || calls.Load() < 30) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v behind %d calls", err, calls.Load())
			}
		})
	}
	if _, err := newRemote("staging.example.org", "", 1, time.Second); err == nil {
		t.Error("an address without a scheme is taken")
	}
}
