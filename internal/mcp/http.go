package mcp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Endpoint is the path that clients over HTTP are given.
const Endpoint = "/mcp"

// leastToken is how many characters a token has at least: 128 bits in base64 have 22.
const leastToken = 22

// How long a client may take. An answer takes as long as the slowest tool.
const (
	headerTime = 10 * time.Second
	bodyTime   = time.Minute
	answerTime = 5 * time.Minute
	idleTime   = 2 * time.Minute
)

// CheckToken refuses a token that can be guessed, or that no header can carry.
func CheckToken(token string) error {
	if len(token) < leastToken {
		return fmt.Errorf("the token has %d characters, fewer than %d", len(token), leastToken)
	}
	for _, c := range token {
		if c <= ' ' || c > '~' {
			return errors.New("the token has a character that is no letter, digit or sign of ASCII")
		}
	}
	return nil
}

// Serve answers clients of the protocol's streamable HTTP transport until the context ends. Each request stands alone: there are no sessions to
// run out of, and no client is told of changes. Whoever has no token, or comes from a page of another origin, reaches no tool.
func (s *Server) Serve(ctx context.Context, l net.Listener, token string) error {
	h := &http.Server{
		Handler: s.handlerHTTP(token), ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: 64 << 10,
	}
	stopped := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		_ = h.Shutdown(late) // what is not answered by then is lost with the process
	})
	err := h.Serve(l)
	stopped()
	if closed := s.root.Close(); closed != nil {
		err = errors.Join(err, closed)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (s *Server) handlerHTTP(token string) http.Handler {
	streamable := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessage, Logger: s.log})
	mux := http.NewServeMux()
	mux.Handle(Endpoint, authorised(token, bounded(streamable)))
	return http.NewCrossOriginProtection().Handler(mux)
}

// authorised lets those through who have the token. Digests are compared, so that the time says nothing of the token, its length included.
func authorised(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(given))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="verifier mcp"`)
			http.Error(w, "send the token of this server as Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// bounded holds no more than maxHeld bytes of requests that are not answered. A body of unknown length counts as the longest.
func bounded(next http.Handler) http.Handler {
	var held atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := r.ContentLength
		if size < 0 || size > maxMessage {
			size = maxMessage
		}
		defer held.Add(-size)
		if held.Add(size) > maxHeld {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too much is unanswered: try again in a second", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}
