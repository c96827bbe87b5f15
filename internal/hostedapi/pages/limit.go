package pages

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/rate"
)

// How many passwords may be tried. One address that tries one account is stopped early; an account that many addresses try
// is stopped late, so that nobody can easily keep its owner out; 100 an hour find no password of 12 characters.
const (
	tryPeriod     = 15 * time.Minute
	perBoth       = 10
	perAddress    = 60
	perAccount    = 100
	accountPeriod = time.Hour
)

// attempts counts what replicas share. Neither an address nor an e-mail address is kept: buckets are named by keyed digests.
type attempts struct {
	store                  rate.Store
	clock                  func() time.Time
	both, address, account *rate.Limiter
	secret                 *atomic.Pointer[[]byte]
}

func newAttempts(s rate.Store, clock func() time.Time) attempts {
	return attempts{
		store: s, clock: clock, secret: new(atomic.Pointer[[]byte]),
		both: rate.New(s, perBoth, tryPeriod, clock), address: rate.New(s, perAddress, tryPeriod, clock), account: rate.New(s, perAccount, accountPeriod, clock),
	}
}

// digestKey is the store's secret, which is asked for once.
func (a attempts) digestKey(ctx context.Context) ([]byte, error) {
	if known := a.secret.Load(); known != nil {
		return *known, nil
	}
	s, err := a.store.Secret(ctx)
	if err == nil {
		a.secret.Store(&s)
	}
	return s, err
}

// attempt counts a try to sign in before it is made, known account or not. Without an account only the address counts.
func (c *call) attempt(account string) error {
	a := c.attempts
	key, err := a.digestKey(c.ctx())
	if err != nil {
		return err
	}
	from := rate.Address(key, c.Address(c.r))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("sign-in\x00" + strings.ToLower(strings.TrimSpace(account))))
	name := hex.EncodeToString(mac.Sum(nil)[:16])
	tries := []struct {
		limiter *rate.Limiter
		bucket  string
	}{{a.address, "sign-in:" + from}, {a.both, "sign-in:" + from + ":" + name}, {a.account, "sign-in:account:" + name}}
	if account == "" {
		tries = tries[:1]
	}
	for _, t := range tries {
		r, err := t.limiter.Take(c.ctx(), t.bucket)
		if err != nil {
			return err
		}
		if !r.Allowed {
			return &tooMany{r.Reset.Sub(a.clock())}
		}
	}
	return nil
}
