package hostedapi_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// shareRequest is one that shares a plan of about so many bytes.
func shareRequest(bytes int) string {
	m := strings.Replace(model("", 3), `{"components"`, `{"name":"`+strings.Repeat("n", max(0, bytes-400))+`","components"`, 1)
	return `{"share":true,"model":` + m + `}`
}

// TestSharingWithoutAKeyIsBounded in the size of a plan, the bytes of an address, those of everybody, and in time.
func TestSharingWithoutAKeyIsBounded(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, func(c *hostedapi.Config) {
			c.PlanRate, c.ShareRate = 1_000_000, 50_000
			c.Share = share.Limits{PlanBytes: 10_000, TotalBytes: 80_000, OrgBytes: 20_000, Lasts: 24 * time.Hour}
			c.Proxies, _ = hostedapi.ParseProxies("127.0.0.1")
		})
		from := func(n int) []string { return []string{"X-Forwarded-For", fmt.Sprintf("192.0.2.%d", n)} }
		if got := s.call(t, "POST", "/api/v1/plan", "", shareRequest(20_000), from(1)...); got.status != 413 || got.json(t, "limit") != 10_000.0 {
			t.Errorf("a large plan: %d %s", got.status, got.body)
		}
		var first answer
		for n := range 20 {
			got := s.call(t, "POST", "/api/v1/plan", "", shareRequest(9_000), from(1)...)
			if n == 0 {
				first = got
			}
			if got.status == 200 && n < 6 {
				continue
			}
			if got.status != 429 || n < 4 || got.json(t, "limit") != 50_000.0 || got.header.Get("Retry-After") == "" {
				t.Fatalf("plan %d of an address: %d %.300s", n, got.status, got.body)
			}
			break
		}
		if got := s.call(t, "POST", "/api/v1/plan", "", request("", 3), from(1)...); got.status != 200 {
			t.Errorf("a plan that is not shared: %d", got.status)
		}
		for n := range 20 {
			got := s.call(t, "POST", "/api/v1/plan", "", shareRequest(9_000), from(2+n)...)
			if got.status == 200 && n < 6 {
				continue
			}
			if got.status != 503 || n < 2 || got.json(t, "code") != "storage-full" || got.json(t, "limit") != 80_000.0 {
				t.Fatalf("plan %d of many addresses: %d %.300s", n, got.status, got.body)
			}
			break
		}
		o := s.tenant(t, "Alpha")
		for n := range 20 {
			got := s.call(t, "POST", "/api/v1/plan", o.key, shareRequest(9_000))
			if got.status == 200 && n < 3 {
				continue
			}
			if got.status != 403 || n < 2 || got.json(t, "code") != "share-room" {
				t.Fatalf("plan %d of an organisation: %d %.300s", n, got.status, got.body)
			}
			break
		}
		id := first.json(t, "share.id").(string)
		if got := s.call(t, "GET", "/p/"+id, "", ""); got.status != 200 {
			t.Errorf("the first: %d", got.status)
		}
		s.clock.Pass(72 * time.Hour)
		if got := s.call(t, "GET", "/p/"+id, "", ""); got.status != 404 {
			t.Errorf("behind its end: %d", got.status)
		}
	})
}

// disk mounts one of so many bytes, or skips and says why.
func disk(t *testing.T, size string) (dir string, grow func()) {
	t.Helper()
	var err error
	dir, err = pgtest.Folder("disk")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		_ = os.Remove(dir)
		t.Skipf("no disk of %s can be mounted here: %v", size, err)
	}
	t.Cleanup(func() { _, _ = syscall.Unmount(dir, syscall.MNT_DETACH), os.Remove(dir) })
	return dir, func() {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=256m"); err != nil {
			t.Error(err)
		}
	}
}

// TestAFullDiskKeepsNobodyFromRevoking fills the disk, and then revokes a key and removes plans, as people and callers do.
func TestAFullDiskKeepsNobodyFromRevoking(t *testing.T) {
	run := func(t *testing.T, database string, grow func()) {
		s := start(t, database)
		o := s.tenant(t, "Alpha")
		shared := s.call(t, "POST", "/api/v1/plan", o.key, shareRequest(1000))
		id, _ := shared.json(t, "share.id").(string)
		if err := s.store.Reserve(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, bytes := range []int{200_000, 5_000, 1} {
			for {
				var filler strings.Builder
				for filler.Len() < bytes {
					filler.WriteString(secret.New())
				}
				if err := s.store.Plans().Put(context.Background(), share.Plan{ID: secret.ID(), Org: "x", Request: []byte(filler.String())}, 0); err != nil {
					break
				}
			}
		}
		s.clock.Pass(2 * time.Minute) // what is remembered of keys and limits is too old
		if got := s.call(t, "POST", "/api/v1/check", o.key, request("", 3)); got.status != 200 {
			t.Errorf("a check: %d %s", got.status, got.body)
		}
		if got := s.call(t, "POST", "/api/v1/plan", o.key, shareRequest(5000)); got.status != 503 || got.json(t, "code") != "storage-full" {
			t.Errorf("sharing: %d %.300s", got.status, got.body)
		}
		if got := s.call(t, "DELETE", "/api/v1/plans/"+id, o.key, ""); got.status != 200 {
			t.Errorf("removing a plan: %d %s", got.status, got.body)
		}
		session, err := s.hosts.Accounts.SignIn(context.Background(), "owner@alpha.example", password)
		if err != nil || session == "" {
			t.Errorf("signing in: %v", err)
		}
		if err := s.hosts.Accounts.RevokeKey(context.Background(), o.org, o.person, o.keyID); err != nil {
			t.Errorf("revoking: %v", err)
		}
		s.clock.Pass(2 * time.Second)
		if got := s.call(t, "POST", "/api/v1/check", o.key, request("", 3)); got.status != 401 {
			t.Errorf("a revoked key: %d", got.status)
		}
		grow() // so that the rows of the corpus that wait can be written at the end
		if err := s.store.Reserve(context.Background()); err != nil {
			t.Error(err)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		dir, grow := disk(t, "48m")
		run(t, "sqlite:"+filepath.Join(dir, "data.db"), grow)
	})
	t.Run("postgres", func(t *testing.T) {
		server := pgtest.Start(t)
		dir, grow := disk(t, "24m")
		run(t, server.DatabaseIn(t, dir), grow)
	})
}
