package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/manifest"
	"github.com/modelverifier/verifier/internal/report"
)

// recordFlags are about the record and not about the run, or go without one: a record does not hold them.
var recordFlags = []string{"attest", "attest-url", "attest-time", "attest-key", "attest-format", "attest-predicate", "allow-symlinks", "ignore-paths", "ndjson"}

// attestFlags are the flags of commands that can be attested.
func attestFlags(c *cobra.Command) {
	f := c.Flags()
	f.String("attest", "", "write an in-toto record of this run to this `file`; - is standard output, and the report goes to standard error")
	f.String("attest-url", "", "an `address` for the record, such as that of the CI run")
	f.String("attest-time", "", "a `time` for the record, such as 2027-01-31T12:00:00Z; no clock is read")
	f.String("attest-key", "", "sign the record with this private `key`: PEM, Ed25519 or ECDSA P-256")
	f.String("attest-format", "", "`form` of the record: statement, dsse or bundle; dsse where there is a key")
	f.String("attest-predicate", "", "write the record's predicate alone to this `file`, for tools that make the statement themselves")
	f.String("source", "", "the `file` that the model was made from; its digest goes into the record")
	offer(c, "attest-format", string(attest.Plain), string(attest.Envelope), string(attest.Bundle))
	manifestFlags(c)
}

// manifestFlags say which files belong to a model.
func manifestFlags(c *cobra.Command) {
	c.Flags().Bool("allow-symlinks", false, "follow symbolic links to files of the model or of its Hugging Face cache entry")
	c.Flags().StringArray("ignore-paths", nil, "leave this `path` from the model's folder out of the digests, and what is below it")
}

// recording is the record of a run in the making.
type recording struct {
	j         *judge
	out       string // "" for none
	predicate string
	stdout    io.Writer
	form      attest.Form
	signer    *attest.Signer
	url, time string
	model     attest.Model
	order     attest.Order
	listing   *manifest.Listing
	beside    []beside
	again     *rerun // the run of a record, nil for a new one
}

// beside is what the run reads beside the model, a file or a folder.
type beside struct {
	name    string
	listing *manifest.Listing
}

// record begins the record of a run over a model, before anything of the model is read. It is nil where none is asked for.
func (j *judge) record(model string) (*recording, error) {
	r := &recording{j: j, out: given(j.cmd, "attest"), predicate: given(j.cmd, "attest-predicate"), again: rerunOf(j.cmd), order: attest.ByName,
		url: given(j.cmd, "attest-url"), time: given(j.cmd, "attest-time")}
	for _, name := range recordFlags {
		if f := j.cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.Type() == "string" && f.Value.String() == "" {
			return nil, fmt.Errorf("--%s is empty", name)
		}
	}
	if r.out == "" && r.predicate == "" && r.again == nil {
		for _, name := range recordFlags {
			if j.cmd.Flags().Changed(name) && name != "attest-time" { // which also says when waivers are judged
				return nil, fmt.Errorf("--%s is about a record, but there is no --attest", name)
			}
		}
		return nil, nil
	}
	if err := r.begin(model); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *recording) begin(model string) error {
	cmd := r.j.cmd
	if err := r.refuse(model); err != nil {
		return err
	}
	if err := attest.Given(r.url, r.time); err != nil {
		return err
	}
	if r.time != "" && !strings.HasSuffix(r.time, "Z") {
		note(cmd, "--attest-time is not in UTC: in-toto wants a time that ends in Z")
	}
	if err := r.sign(); err != nil {
		return err
	}
	ctx, stop := interruptible(cmd)
	defer stop()
	at, err := locate(ctx, cmd, actual(cmd, model))
	if err != nil {
		return err
	}
	for _, n := range at.notes {
		note(cmd, n)
	}
	if err := r.describe(at); err != nil {
		return err
	}
	if r.listing, err = at.list(ctx, cmd, r.model.Ignore, r.model.AllowSymlinks); err != nil {
		return err
	}
	for _, out := range []string{r.out, r.predicate} {
		if info, err := os.Stat(out); out != "" && err == nil && r.listing.Holds(info) {
			return fmt.Errorf("%s is a file of the model; write the record elsewhere", out)
		}
	}
	for _, n := range r.listing.Notes {
		note(cmd, n)
	}
	if n := len(r.listing.Files()); n > maxSubjects-1 {
		note(cmd, fmt.Sprintf("the model has %d files: cosign and gh refuse records of more than %d", n, maxSubjects-1))
	}
	if r.out == stdin { // the record takes standard output, so the report goes where notes go
		r.stdout = cmd.OutOrStdout()
		cmd.SetOut(cmd.ErrOrStderr())
	}
	return r.listBeside(ctx)
}

// maxSubjects is how many sigstore-go and GitHub's attestations take.
const maxSubjects = 1024

// refuse says what cannot be attested.
func (r *recording) refuse(model string) error {
	cmd := r.j.cmd
	if suggest, _ := cmd.Flags().GetBool("suggest"); suggest {
		return errors.New("--suggest gives no verdict, so there is nothing to attest")
	}
	if cmd.Name() != serveCommand && cmd.Flags().NArg() > 1 {
		return errors.New("a record is of one model: give one")
	}
	for _, name := range []string{model, given(cmd, "base"), given(cmd, "command-file")} {
		if name == stdin {
			return errors.New("standard input cannot be attested: a record names files; save it to one")
		}
	}
	if _, secret := redact([]string{model, r.url}); secret {
		return errors.New("the model or --attest-url holds what looks like a password or token, and a record would show it")
	}
	if r.out != "" && r.predicate != "" && (r.out == r.predicate || sameFile(r.out, r.predicate)) {
		return errors.New("--attest and --attest-predicate cannot both be written to one file")
	}
	return nil
}

const serveCommand = "serve-check"

// sign reads how the record is to be written.
func (r *recording) sign() error {
	key, form := given(r.j.cmd, "attest-key"), given(r.j.cmd, "attest-format")
	r.form = attest.Plain
	switch {
	case form == "" && key != "":
		r.form = attest.Envelope
	case form != "":
		r.form = attest.Form(form)
	}
	switch {
	case r.form != attest.Plain && r.form != attest.Envelope && r.form != attest.Bundle:
		return fmt.Errorf("--attest-format is %q but takes statement, dsse or bundle", form)
	case r.form == attest.Plain && key != "":
		return errors.New("--attest-format statement is not signed, but there is --attest-key: take dsse or bundle")
	case r.form != attest.Plain && key == "":
		return fmt.Errorf("--attest-format %s is signed: give --attest-key", r.form)
	case key == "":
		return nil
	}
	data, err := readFile(key)
	if err != nil {
		return err
	}
	if r.signer, err = attest.ParsePrivateKey(data); err != nil {
		return fmt.Errorf("--attest-key: %s %w", key, err)
	}
	return nil
}

// describe says what the model is, as the record will.
func (r *recording) describe(at *located) error {
	if r.again != nil {
		r.model, r.order = r.again.model, r.again.order
		r.model.AllowSymlinks = r.model.AllowSymlinks || at.hub
		return nil
	}
	cmd := r.j.cmd
	user, _ := cmd.Flags().GetStringArray("ignore-paths")
	paths := slices.Concat(manifest.GitPaths, user)
	for _, out := range []string{r.out, r.predicate} {
		within, err := at.within(out)
		if err != nil {
			return err
		}
		if within != "" {
			paths = append(paths, within)
		}
	}
	ignore, err := manifest.Ignored(paths...)
	if err != nil {
		return err
	}
	allow, _ := cmd.Flags().GetBool("allow-symlinks")
	r.model = attest.Model{Kind: at.kind(), Name: at.name, Repo: at.repo, Revision: at.revision, AllowSymlinks: allow || at.hub, Ignore: ignore}
	return nil
}

// listBeside notes what the datasets and the version before are, before they are read.
func (r *recording) listBeside(ctx context.Context) error {
	cmd := r.j.cmd
	refs, _ := cmd.Flags().GetStringArray("data")
	refs = slices.DeleteFunc(slices.Clone(refs), func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "{") })
	for _, ref := range refs {
		l, err := manifest.List(ctx, ref, manifest.Options{Ignore: manifest.GitPaths, AllowSymlinks: true})
		if err != nil {
			return fmt.Errorf("--data: %w", err)
		}
		r.beside = append(r.beside, beside{filepath.ToSlash(ref), l})
	}
	base := given(cmd, "base")
	if base == "" {
		return nil
	}
	at, err := locate(ctx, cmd, actual(cmd, base))
	if err != nil {
		return err
	}
	l, err := at.list(ctx, cmd, manifest.GitPaths, true)
	if err != nil {
		return fmt.Errorf("--base: %w", err)
	}
	r.beside = append(r.beside, beside{filepath.ToSlash(base), l})
	return nil
}

func (r *recording) close() {
	if r == nil {
		return
	}
	for _, l := range append([]beside{{listing: r.listing}}, r.beside...) {
		if l.listing != nil {
			_ = l.listing.Close() // everything was read; what closing says changes nothing
		}
	}
}

// finish digests the model and writes the record of a run.
func (r *recording) finish(run *report.Run) error {
	if r == nil {
		return nil
	}
	if run == nil {
		return errors.New("there is no verdict to attest")
	}
	if err := r.leaveOut(run); err != nil {
		return err
	}
	ctx, stop := interruptible(r.j.cmd)
	defer stop()
	in, err := r.input(ctx, run)
	if err != nil {
		return err
	}
	s, err := attest.New(in)
	if err != nil {
		return err
	}
	if _, err := s.Check(); err != nil {
		return fmt.Errorf("%w a record that contradicts itself: %w", errWrite, err)
	}
	data, err := s.Encode()
	if err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	if r.again != nil {
		r.again.bytes, r.again.statement = data, s
		return nil
	}
	if r.signer != nil {
		if data, err = r.signer.Sign(data, r.form); err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
	}
	if r.predicate != "" {
		predicate, err := s.Predicate.Encode()
		if err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
		if err := writeRecord(r.predicate, predicate, r.j.cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	if r.out == "" {
		return nil
	}
	return writeRecord(r.out, data, r.stdout)
}

// addSource reads the file of --source into the run.
func (j *judge) addSource(run *report.Run) error {
	name := given(j.cmd, "source")
	if name == "" || run == nil {
		return nil
	}
	data, err := readFile(name)
	if err != nil {
		return fmt.Errorf("--source: %w", err)
	}
	run.Files = append(run.Files, report.File{Name: filepath.ToSlash(name), Data: data})
	return nil
}

func interruptible(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
}
