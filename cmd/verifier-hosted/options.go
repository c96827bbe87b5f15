package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/share"
)

const day = 24 * time.Hour

// option is a line of the table in docs/hosted.md: a flag, and the variable that stands for it where it is not given.
type option struct{ flag, variable, otherwise, doc string }

// options is everything that can be configured. Secrets are better given as variables: flags can be seen by other users.
var options = []option{
	{"addr", "VERIFIER_ADDR", "127.0.0.1:8080", "where to listen: host:port"},
	{"internal-addr", "VERIFIER_INTERNAL_ADDR", "", "a second host:port for /healthz, /readyz and /metrics, which callers must not reach; left out: no /metrics"},
	{"data", "VERIFIER_DATA", "verifier-data", "the folder with the embedded database; made where there is none"},
	{"database-url", "VERIFIER_DATABASE_URL", "", "postgres://… in place of the embedded database: any number of replicas share it"},
	{"database-url-file", "VERIFIER_DATABASE_URL_FILE", "", "file with --database-url, which holds a password"},
	{"public-url", "VERIFIER_PUBLIC_URL", "", "scheme and host under which people reach the service; left out: that of --addr"},
	{"apex-host", "VERIFIER_APEX_HOST", "", "bare host name whose visitors are sent to --www-host, with status 307"},
	{"www-host", "VERIFIER_WWW_HOST", "", "host name that --apex-host sends to; left out: that of --public-url"},
	{"trusted-proxies", "VERIFIER_TRUSTED_PROXIES", "", "addresses and prefixes, with commas between, whose X-Forwarded-For is believed"},
	{"peer-connections", "VERIFIER_PEER_CONNECTIONS", strconv.Itoa(hostedapi.DefaultPeerConnections), "connections of one address (IPv6: of one /64) that is none of --trusted-proxies"},
	{"key-rate", "VERIFIER_KEY_RATE", strconv.Itoa(hostedapi.DefaultKeyRate), "calls for each key and minute"},
	{"plan-rate", "VERIFIER_PLAN_RATE", strconv.Itoa(hostedapi.DefaultPlanRate), "plans without a key, for each address and hour"},
	{"share-size", "VERIFIER_SHARE_SIZE", strconv.FormatInt(share.Defaults.PlanBytes>>10, 10), "KiB of one plan that is shared without a key"},
	{"share-rate", "VERIFIER_SHARE_RATE", strconv.Itoa(hostedapi.DefaultShareRate >> 20), "MiB of plans that one address shares without a key in a day"},
	{"share-total", "VERIFIER_SHARE_TOTAL", strconv.FormatInt(share.Defaults.TotalBytes>>20, 10), "MiB of all plans that were shared without a key"},
	{"share-organisation", "VERIFIER_SHARE_ORGANISATION", strconv.FormatInt(share.Defaults.OrgBytes>>20, 10), "MiB of all shared plans of one organisation"},
	{"share-days", "VERIFIER_SHARE_DAYS", strconv.Itoa(int(share.Defaults.Lasts / day)), "days that a plan is kept which was shared without a key"},
	{"corpus-days", "VERIFIER_CORPUS_DAYS", "0", "days that lines of the corpus are kept, which the report does not need; 0: for ever"},
	{"oidc-issuer", "VERIFIER_OIDC_ISSUER", "", "OpenID Connect provider through which people can sign in"},
	{"oidc-client", "VERIFIER_OIDC_CLIENT", "", "what the provider knows this service by"},
	{"oidc-secret", "VERIFIER_OIDC_SECRET", "", "the secret that goes with it; better in the variable, or in --oidc-secret-file"},
	{"oidc-secret-file", "VERIFIER_OIDC_SECRET_FILE", "", "file with it"},
	{"weights-url", "VERIFIER_WEIGHTS_URL", "", "where checkpoints and weights are kept: file:///folder, or s3://bucket?region=… that replicas share; left out: the folder weights in --data"},
	{"weights-days", "VERIFIER_WEIGHTS_DAYS", strconv.Itoa(int(jobs.DefaultWeights / day)), "days that weights are kept behind the end of their job"},
	{"worker-lease", "VERIFIER_WORKER_LEASE", jobs.DefaultLease.String(), "how long a worker has a job without a heartbeat; four are sent in this time"},
	{"allow-simulated", "VERIFIER_ALLOW_SIMULATED", "false", "give jobs to workers that compute nothing, too"},
	{"local-worker", "VERIFIER_LOCAL_WORKER", "auto", "start a worker on this machine: auto (where python3 has torch), on or off"},
	{"python", "VERIFIER_PYTHON", "", "the local worker's Python, which has torch; left out: python3 of the search path, else /usr/bin/python3"},
	{"worker-data", "VERIFIER_DATASETS", "", "folder of the local worker's datasets; left out: verifier/data in the user's cache"},
	{"provider-format", "VERIFIER_PROVIDER_FORMAT", "", "wire format of the language-model provider that fix asks: messages (Anthropic) or chat (OpenAI); left out: none is asked"},
	{"provider-url", "VERIFIER_PROVIDER_URL", "", "its base address, as in its own libraries; left out: https://api.anthropic.com or https://api.openai.com/v1"},
	{"provider-model", "VERIFIER_PROVIDER_MODEL", "", "the model that is asked"},
	{"provider-key", "VERIFIER_PROVIDER_KEY", "", "its key; better in the variable, or in --provider-key-file"},
	{"provider-key-file", "VERIFIER_PROVIDER_KEY_FILE", "", "file with its key"},
	{"provider-timeout", "VERIFIER_PROVIDER_TIMEOUT", llm.DefaultTimeout.String(), "how long it may take, all attempts together"},
	{"provider-tokens", "VERIFIER_PROVIDER_TOKENS", strconv.Itoa(llm.DefaultMaxTokens), "tokens of an answer"},
	{"slurm", "VERIFIER_SLURM", "", "file that describes a Slurm cluster which runs jobs (docs/clusters.md)"},
	{"kubernetes", "VERIFIER_KUBERNETES", "", "file that describes a Kubernetes cluster which runs jobs (docs/clusters.md)"},
	{"http2", "VERIFIER_HTTP2", "false", "also speak HTTP/2 without TLS, for a proxy that does"},
	{"drain", "VERIFIER_DRAIN", "0s", "how long /readyz says no before a stop, for balancers that look there"},
	{"workers", "VERIFIER_WORKERS", "0", "actions that run at once; 0: as many as processors"},
	{"log-level", "VERIFIER_LOG_LEVEL", "info", "debug, info, warn or error; info writes a line for each request"},
}

// config is what the options say.
type config struct {
	addr, internal string
	http2          bool
	database       string
	data           string // folder to make; empty with another database
	workers        int
	level          slog.Level
	hosted         hostedapi.Config
	train          trainConfig
	backend        backendConfig
	secretFiles    []string // that options name
}

// parse reads options, and returns what stands behind them.
func parse(args []string, getenv func(string) string, help io.Writer) (*config, []string, error) {
	f := flag.NewFlagSet("verifier-hosted", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	values := map[string]*string{}
	for _, o := range options {
		value := o.otherwise
		if v := getenv(o.variable); v != "" {
			value = v
		}
		values[o.flag] = &value
		if o.otherwise == "false" { // it may stand alone
			f.BoolFunc(o.flag, o.doc, func(s string) error { value = s; return nil })
			continue
		}
		f.StringVar(&value, o.flag, value, o.doc)
	}
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		usage(help)
	}
	if err != nil {
		return nil, nil, err
	}
	c, err := read(func(name string) string { return *values[name] })
	return c, f.Args(), err
}

// read makes the configuration of the values.
func read(value func(string) string) (*config, error) {
	c := &config{addr: value("addr"), internal: value("internal-addr")}
	h := &c.hosted
	h.PublicURL, h.ApexHost, h.WWWHost = value("public-url"), value("apex-host"), value("www-host")
	var failed error
	fail := func(name string, err error) {
		if failed == nil && err != nil {
			failed = fmt.Errorf("--%s: %w", name, err)
		}
	}
	number := func(name string, least, most int64) int64 {
		n, err := strconv.ParseInt(value(name), 10, 64)
		if err != nil || n < least || n > most {
			err = fmt.Errorf("must be a number from %d to %d, not %q", least, most, value(name))
		}
		fail(name, err)
		return n
	}
	var err error
	c.database, err = secret(value, "database-url")
	fail("database-url", err)
	if c.database == "" {
		c.data = value("data")
		c.database = "sqlite:" + filepath.Join(c.data, "verifier.db")
	}
	h.Proxies, err = hostedapi.ParseProxies(value("trusted-proxies"))
	fail("trusted-proxies", err)
	h.KeyRate, h.PlanRate = number("key-rate", 1, 1_000_000_000), number("plan-rate", 1, 1_000_000_000)
	h.Share = share.Limits{PlanBytes: number("share-size", 1, 4<<10) << 10, TotalBytes: number("share-total", 1, 1<<30) << 20,
		OrgBytes: number("share-organisation", 1, 1<<30) << 20, Lasts: time.Duration(number("share-days", 1, 36500)) * day}
	h.ShareRate = number("share-rate", 1, 1<<30) << 20
	h.Corpus = number("corpus-days", 0, 36500)
	h.Peers = int(number("peer-connections", 1, 1024))
	c.workers = int(number("workers", 0, 1024))
	c.http2, err = strconv.ParseBool(value("http2"))
	fail("http2", err)
	h.Drain, err = time.ParseDuration(value("drain"))
	if err == nil && (h.Drain < 0 || h.Drain > 10*time.Minute) {
		err = errors.New("must be from 0s to 10m")
	}
	fail("drain", err)
	fail(c.train.read(value, number))
	fail(c.backend.read(value))
	if file := value("provider-key-file"); file != "" {
		c.secretFiles = append(c.secretFiles, file)
	}
	h.Agent, err = provider(value, number)
	fail("provider-format", err)
	fail("log-level", c.level.UnmarshalText([]byte(value("log-level"))))
	p := account.Provider{Issuer: value("oidc-issuer"), ClientID: value("oidc-client")}
	p.ClientSecret, err = secret(value, "oidc-secret")
	fail("oidc-secret", err)
	if p.Issuer != "" {
		h.Provider = &p
		if p.ClientID == "" || p.ClientSecret == "" {
			fail("oidc-issuer", errors.New("needs --oidc-client and --oidc-secret too"))
		}
	}
	return c, failed
}

func usage(w io.Writer) {
	fmt.Fprint(w, "verifier-hosted serves /api/v1, accounts and the published pages.\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  verifier-hosted %-26s %s\n", c.name+behind(c.takes), c.doc)
	}
	fmt.Fprint(w, "\nOptions stand before the command. Each can be given as a variable too.\n\n")
	for _, o := range options {
		fmt.Fprintf(w, "  --%-18s %s (%s", o.flag, o.doc, o.variable)
		if o.otherwise != "" {
			fmt.Fprintf(w, "; default %s", o.otherwise)
		}
		fmt.Fprintln(w, ")")
	}
}

func behind(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}
