package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/worker"
)

// maxTokenFile is how much of a token's file is read.
const maxTokenFile = 4096

// serve is the command run.
func serve(ctx context.Context, p *process, args []string) error {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	o := worker.Options{Version: version}
	f.StringVar(&o.Server, "server", p.getenv("VERIFIER_SERVER"), "`address` of the service; also VERIFIER_SERVER")
	tokenFile := f.String("token-file", "", "`file` whose first line is the worker's token; else VERIFIER_WORKER_TOKEN has it")
	f.StringVar(&o.Data, "data", p.getenv("VERIFIER_DATASETS"), "`folder` of datasets; also VERIFIER_DATASETS (default verifier/data in the user's cache)")
	f.StringVar(&o.Work, "work", "", "`folder` for the private folders of runs (default the system's temporary folder)")
	f.StringVar(&o.Python, "python", p.getenv("VERIFIER_PYTHON"), "the python3 that has torch, as a `path`; also VERIFIER_PYTHON (default python3 of the search path)")
	cards := f.String("cards", "auto", "auto asks PyTorch; `names` with commas between say what its cards count as, in their order")
	f.BoolVar(&o.CPU, "cpu", false, "take jobs that need no card, too")
	f.BoolVar(&o.Simulate, "simulate", false, "compute nothing, and say so: for trying a service out")
	f.StringVar(&o.Job, "job", "", "run the job of this `id` and end: for clusters")
	f.StringVar(&o.Name, "name", "", "`name` of this machine in the service's list (default its host name)")
	level := f.String("log-level", "info", "debug, info, warn or error")
	if err := parse(f, p, args); err != nil {
		return err
	}
	var least slog.Level
	if err := least.UnmarshalText([]byte(*level)); err != nil {
		return usageError{fmt.Errorf("--log-level is %q: there are debug, info, warn and error", *level)}
	}
	if *cards != "auto" && *cards != "" {
		o.Cards = strings.Split(*cards, ",")
	}
	var err error
	if o.Token, err = token(*tokenFile, p.getenv("VERIFIER_WORKER_TOKEN")); err != nil {
		return err
	}
	if o.Server == "" {
		return usageError{errors.New("--server is missing: the address of the service, such as https://verifier.example.com")}
	}
	if o.Data, err = dataFolder(o.Data); err != nil {
		return err
	}
	o.Log = slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: least}))
	return worker.Run(ctx, o)
}

// token reads the worker's token. It is no flag, because every user of a machine sees the flags of programs.
func token(file, env string) (string, error) {
	if file == "" {
		if env == "" {
			return "", usageError{errors.New("the worker's token is missing: set VERIFIER_WORKER_TOKEN, or name its file with --token-file")}
		}
		return env, nil
	}
	text, err := fence.Read(file, maxTokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if first = strings.TrimSpace(first); first == "" {
		return "", fmt.Errorf("--token-file: the first line of %s is empty", file)
	}
	return first, nil
}
