//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// tenant is an organisation that calls, with its key.
type tenant struct{ name, org, key string }

var (
	linkForm     = regexp.MustCompile(`http://\S+link=(\S+)`)
	settingsForm = regexp.MustCompile(`/settings/([a-z2-7]{26})`)
	keyForm      = regexp.MustCompile(`mv_[A-Za-z0-9_-]{43}`)
	tokenForm    = regexp.MustCompile(`\n\n  (\S+)\n`)
)

// found makes an organisation as its owner would: by the operator's link, in the pages of the service.
func (c *cluster) found(transport http.RoundTripper, name string) (*tenant, error) {
	out, err := c.replicas[0].operate("create-admin")
	if err != nil {
		return nil, err
	}
	link := linkForm.FindStringSubmatch(out)
	if link == nil {
		return nil, fmt.Errorf("create-admin printed no link: %s", out)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{Jar: jar, Transport: transport}
	page, err := c.form(browser, strings.Split(link[0], "?")[0], url.Values{"link": {link[1]}, "organisation": {name}, "name": {"Owner of " + name},
		"email": {name + "@example.org"}, "password": {"correct horse battery staple"}})
	if err != nil {
		return nil, err
	}
	settings := settingsForm.FindStringSubmatch(page)
	if settings == nil {
		return nil, fmt.Errorf("no settings in %s", tail(page))
	}
	page, err = c.form(browser, c.url()+settings[0]+"/api", url.Values{"name": {"soak"}})
	key := keyForm.FindString(page)
	if err == nil && key == "" {
		err = fmt.Errorf("no key in %s", tail(page))
	}
	if err != nil {
		return nil, err
	}
	_, err = c.replicas[0].operate("limits", settings[1], "jobs-in-flight=1000000", "jobs-today=1000000", "usd-today=1000000")
	return &tenant{name, settings[1], key}, err
}

// form sends what a person fills in, and returns the page behind it with its path.
func (c *cluster) form(browser *http.Client, to string, values url.Values) (string, error) {
	r, err := http.NewRequest(http.MethodPost, to, strings.NewReader(values.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", c.url())
	resp, err := browser.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s: %d %s", to, resp.StatusCode, tail(string(body)))
	}
	return resp.Request.URL.Path + "\n" + string(body), err
}

// hire makes the token of a worker.
func (c *cluster) hire(name string) (string, error) {
	out, err := c.replicas[0].operate("worker-add", name)
	if err != nil {
		return "", err
	}
	token := tokenForm.FindStringSubmatch(out)
	if token == nil {
		return "", errors.New("worker-add printed no token")
	}
	return token[1], nil
}
