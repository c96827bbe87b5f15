package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/comment"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

// provider is where a pull request lies, and what its jobs are told by the environment.
type provider struct {
	name, token, address, fallback string // variables, and the address where there is none
	open                           func(address, token, repository string, number int64, agent string) (comment.Service, error)
	where                          func() (repository, number string)
}

var providers = []provider{
	{"github", "GITHUB_TOKEN", "GITHUB_API_URL", "https://api.github.com", comment.GitHub, onGitHub},
	{"gitlab", "GITLAB_TOKEN", "CI_API_V4_URL", "https://gitlab.com/api/v4", comment.GitLab, onGitLab},
}

var _ = register(func() *cobra.Command {
	c := &cobra.Command{
		Use:   "comment RECORD...",
		Short: "Keep one comment on a pull request about the models that it changes",
		Long: `Makes one comment of the records that policy-apply --change wrote, and posts it or updates the one
that it posted before. Where nothing changed, or less than the limits under change: in
.verifier.yml, it posts none; an existing comment is updated.

The token comes from the environment: GITHUB_TOKEN, or GITLAB_TOKEN with the scope api. Repository
and number come from the job's environment unless flags are given. Without a token, or with one that
may not write, as on a pull request from a fork, it warns, appends the comment to the job's summary
(GITHUB_STEP_SUMMARY) or else prints it, and exits with 0. --dry-run prints the comment and uses no
network.`,
		Args: cobra.ArbitraryArgs,
	}
	f := c.Flags()
	f.String("provider", "", "the `service`: github or gitlab")
	f.String("repository", "", "owner/name on GitHub, number or path of the project on GitLab; by default from the environment")
	f.Int64("number", 0, "number of the pull request; by default from the environment")
	f.String("tag", "", "a `name` that keeps the comments of several workflows apart")
	f.Bool("dry-run", false, "print the comment, or nothing where there would be none, and post nothing")
	offer(c, "provider", "github", "gitlab")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := commentRecord(cmd, args)
		if err != nil {
			return err
		}
		tag := comment.Tag(given(cmd, "tag"))
		body := comment.Markdown(r, tag, Version)
		if is(cmd, "dry-run") {
			if !r.Worth() {
				body = ""
			}
			for _, s := range r.Suggestions() {
				body += fmt.Sprintf("\non %s:%d:\n%s", s.Path, s.Last, s.Text(tag, "suggestion"))
			}
			return printText(cmd, body)
		}
		return postComment(cmd, r, tag, body)
	}
	return c
})

// commentRecord joins the records of several runs.
func commentRecord(cmd *cobra.Command, files []string) (*comment.Record, error) {
	all := &comment.Record{Version: comment.Version}
	for _, name := range files {
		data, err := readAll(cmd, name)
		if err != nil {
			return nil, err
		}
		r, err := comment.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s %w", name, err)
		}
		all.Models = append(all.Models, r.Models...)
	}
	return all, nil
}

func postComment(cmd *cobra.Command, r *comment.Record, tag, body string) error {
	p, err := providerOf(given(cmd, "provider"))
	if err != nil {
		return err
	}
	token := strings.TrimSpace(os.Getenv(p.token))
	if token == "" {
		return instead(cmd, r, body, p.token+" is not set: no comment is posted")
	}
	s, err := p.service(cmd, token)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd)
	defer stop()
	done, err := comment.Post(ctx, s, tag, body, r.Worth())
	switch {
	case errors.Is(err, comment.ErrForbidden):
		return instead(cmd, r, body, p.token+" "+err.Error())
	case err != nil:
		_ = instead(cmd, r, body, "the comment could not be posted") // the error says more
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	note(cmd, "comment: "+string(done))
	lines, err := comment.Suggest(ctx, s, tag, r.Suggestions())
	if err != nil { // the comment says what is wrong; that it could not be offered as a click is no failure
		note(cmd, "suggestions could not be written: "+err.Error())
	} else if lines != (comment.Suggested{}) {
		note(cmd, fmt.Sprintf("suggestions: %d new, %d unchanged, %d on lines that the pull request does not touch", lines.New, lines.Kept, lines.Elsewhere))
	}
	return nil
}

func providerOf(name string) (*provider, error) {
	for i := range providers {
		if providers[i].name == name {
			return &providers[i], nil
		}
	}
	if name == "" {
		return nil, errors.New("--provider is missing: give github or gitlab")
	}
	return nil, fmt.Errorf("--provider is %q but takes github or gitlab", name)
}

// service is the pull request that the flags or the environment name.
func (p *provider) service(cmd *cobra.Command, token string) (comment.Service, error) {
	address := os.Getenv(p.address)
	if address == "" {
		address = p.fallback
	}
	repository, text := p.where()
	if name := given(cmd, "repository"); name != "" {
		repository = name
	}
	number, _ := cmd.Flags().GetInt64("number")
	if !cmd.Flags().Changed("number") {
		number, _ = strconv.ParseInt(text, 10, 64)
	}
	s, err := p.open(address, token, repository, number, "verifier/"+Version)
	if err != nil {
		return nil, fmt.Errorf("--provider %s: %w", p.name, err)
	}
	return s, nil
}

// onGitHub reads the event that started the job: a pull request's own, or a comment's on one.
func onGitHub() (repository, number string) {
	repository = os.Getenv("GITHUB_REPOSITORY")
	var event struct {
		PullRequest struct {
			Number json.Number `json:"number"`
		} `json:"pull_request"`
		Issue struct {
			Number json.Number `json:"number"`
		} `json:"issue"`
	}
	if data, err := readFile(os.Getenv("GITHUB_EVENT_PATH")); err == nil && json.Unmarshal(data, &event) == nil {
		for _, n := range []json.Number{event.PullRequest.Number, event.Issue.Number} {
			if n != "" {
				return repository, n.String()
			}
		}
	}
	if rest, ok := strings.CutPrefix(os.Getenv("GITHUB_REF"), "refs/pull/"); ok {
		number, _, _ = strings.Cut(rest, "/")
	}
	return repository, number
}

func onGitLab() (project, number string) {
	project = os.Getenv("CI_MERGE_REQUEST_PROJECT_ID")
	if project == "" {
		project = os.Getenv("CI_PROJECT_ID")
	}
	return project, os.Getenv("CI_MERGE_REQUEST_IID")
}

// instead warns, and puts the comment where people look who cannot have it on the pull request.
func instead(cmd *cobra.Command, r *comment.Record, body, why string) error {
	line := annotate.Harmless("warning: " + clean(why))
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		line = "::warning title=Model Verifier::" + strings.ReplaceAll(clean(why), "%", "%25")
	}
	fmt.Fprintln(cmd.ErrOrStderr(), line)
	if !r.Worth() {
		return nil
	}
	if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" {
		if err := writeFile(path, []byte(body), true); err != nil {
			return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
		}
		return nil
	}
	return printText(cmd, body)
}
