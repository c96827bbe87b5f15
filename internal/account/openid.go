package account

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/modelverifier/verifier/internal/secret"
	"golang.org/x/oauth2"
)

var (
	// ErrProvider is returned while the identity provider does not answer. The same may work later.
	ErrProvider = errors.New("the identity provider did not answer")
	// ErrIdentity is returned when what the provider or the browser sent back cannot be trusted.
	ErrIdentity = errors.New("signing in through the identity provider failed: begin again")
)

// providerTimeout is how long one request to the provider may take.
const providerTimeout = 10 * time.Second

// Provider is an OpenID Connect provider and what it knows us by.
type Provider struct {
	Issuer, ClientID, ClientSecret string
	Redirect                       string // our address to which it sends browsers back
}

// OpenID signs people in through a provider: the authorisation code flow with PKCE. The provider is looked for when it is
// first needed, so that a provider that is away does not keep the service from starting.
type OpenID struct {
	service  *Service
	provider Provider
	client   *http.Client
	found    atomic.Pointer[oidc.Provider]
}

// NewOpenID returns a way to sign in to a service.
func NewOpenID(s *Service, p Provider) *OpenID {
	return &OpenID{service: s, provider: p, client: &http.Client{Timeout: providerTimeout}}
}

// Flow is what the browser keeps, in a cookie of its own that scripts cannot read, while its user is at the provider.
type Flow struct {
	State    string `json:"s"` // comes back in the address; another browser's does not fit
	Nonce    string `json:"n"` // comes back in the signed token
	Verifier string `json:"v"` // PKCE
	Invite   string `json:"i,omitempty"`
}

// Encode writes a flow as the value of a cookie.
func (f Flow) Encode() string {
	b, _ := json.Marshal(f) // strings only
	return base64.RawURLEncoding.EncodeToString(b)
}

// DecodeFlow reads the value of a cookie.
func DecodeFlow(s string) (f Flow, err error) {
	if len(s) > 1<<10 {
		return f, ErrIdentity
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil || f.State == "" || f.Nonce == "" || f.Verifier == "" {
		return Flow{}, ErrIdentity
	}
	return f, nil
}

// discover asks the provider for its addresses, once it answers.
func (o *OpenID) discover(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	found := o.found.Load()
	if found == nil {
		var err error
		if found, err = oidc.NewProvider(ctx, o.provider.Issuer); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrProvider, err)
		}
		o.found.Store(found)
	}
	return found, &oauth2.Config{
		ClientID: o.provider.ClientID, ClientSecret: o.provider.ClientSecret, RedirectURL: o.provider.Redirect,
		Endpoint: found.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}, nil
}

// Begin returns the provider's address to which the browser goes, with what it must bring back. The secret of an invitation
// goes along, or nothing.
func (o *OpenID) Begin(ctx context.Context, invite string) (address string, f Flow, err error) {
	_, config, err := o.discover(oidc.ClientContext(ctx, o.client))
	if err != nil {
		return "", f, err
	}
	f = Flow{State: secret.New(), Nonce: secret.New(), Verifier: oauth2.GenerateVerifier(), Invite: invite}
	return config.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), f, nil
}

// Finish takes what the provider sent back with the browser, and opens a session.
func (o *OpenID) Finish(ctx context.Context, f Flow, state, code string) (session string, err error) {
	if f.State == "" || subtle.ConstantTimeCompare([]byte(f.State), []byte(state)) != 1 {
		return "", ErrIdentity
	}
	who, err := o.identify(oidc.ClientContext(ctx, o.client), f, code)
	if err != nil {
		return "", err
	}
	s := o.service
	err = s.Store.Write(ctx, func(tx Tx) error {
		p, err := s.enter(tx, who, f.Invite)
		if err != nil {
			return err
		}
		session, err = s.begin(tx, p.ID, "sign-in-openid")
		return err
	})
	return session, err
}

// identity is what a provider vouches for.
type identity struct {
	issuer, subject, name string
	email                 string // empty unless the provider says that it is the person's
}

// identify exchanges the code for a token and verifies it: signature, issuer, audience, time and nonce.
func (o *OpenID) identify(ctx context.Context, f Flow, code string) (identity, error) {
	provider, config, err := o.discover(ctx)
	if err != nil {
		return identity{}, err
	}
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) {
		if refused.Response != nil && refused.Response.StatusCode >= 500 {
			return identity{}, fmt.Errorf("%w: status %d", ErrProvider, refused.Response.StatusCode)
		}
		return identity{}, fmt.Errorf("%w (%s)", ErrIdentity, refused.ErrorCode)
	} else if err != nil {
		return identity{}, fmt.Errorf("%w: %w", ErrProvider, err)
	}
	raw, _ := token.Extra("id_token").(string)
	signed, err := provider.Verifier(&oidc.Config{ClientID: o.provider.ClientID, Now: o.service.Clock}).Verify(ctx, raw)
	if err != nil {
		return identity{}, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	if subtle.ConstantTimeCompare([]byte(signed.Nonce), []byte(f.Nonce)) != 1 {
		return identity{}, ErrIdentity
	}
	var claims struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some providers write it as a string
		Name     string `json:"name"`
	}
	if err := signed.Claims(&claims); err != nil || signed.Subject == "" {
		return identity{}, ErrIdentity
	}
	who := identity{issuer: signed.Issuer, subject: signed.Subject, name: claims.Name}
	if claims.Verified == true || claims.Verified == "true" {
		who.email, _ = Email(claims.Email) // one that is none is as good as missing
	}
	return who, nil
}

// enter finds or makes the person whom a provider vouches for: by subject, by verified address, or with an invitation.
func (s *Service) enter(tx Tx, who identity, invite string) (Person, error) {
	p, err := tx.PersonBySubject(who.issuer, who.subject)
	if errors.Is(err, ErrNotFound) && who.email != "" {
		if p, err = tx.PersonByEmail(who.email); err == nil {
			p, err = s.link(tx, p, who)
		}
	}
	known := err == nil
	if err != nil && !errors.Is(err, ErrNotFound) {
		return p, err
	}
	if invite == "" {
		if !known {
			return p, ErrNotInvited
		}
		return p, nil
	}
	return p, s.use(tx, invite, func(t Token) error {
		if !known {
			p = newcomer(who, t)
			p.CreatedAt = s.now()
			if err := s.keep(tx, p, true); err != nil {
				return err
			}
		}
		return s.join(tx, t, p.ID, "join")
	})
}

// link ties a person to the identity that has their address. A password that somebody set without showing that the address
// is theirs ends with it: they may have been invited under an address of somebody else.
func (s *Service) link(tx Tx, p Person, who identity) (Person, error) {
	if p.Issuer == who.issuer { // the address was given to somebody else since
		return p, fmt.Errorf("%w: the address %s belongs to another identity", ErrIdentity, p.Email)
	}
	p.Issuer, p.Subject, p.Password = who.issuer, who.subject, ""
	if err := tx.PutPerson(p); err != nil {
		return p, err
	}
	if err := s.endAll(tx, p.ID); err != nil {
		return p, err
	}
	return p, s.note(tx, "", p.ID, "link-openid", "")
}

// newcomer is the person an invitation makes of an identity.
func newcomer(who identity, t Token) Person {
	p := Person{ID: secret.ID(), Email: who.email, Name: who.name, Issuer: who.issuer, Subject: who.subject}
	if p.Email == "" {
		p.Email = t.Email
	}
	if name, err := line("name", p.Name); err == nil {
		p.Name = name
	} else {
		p.Name, _, _ = strings.Cut(p.Email, "@")
	}
	return p
}
