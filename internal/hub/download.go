package hub

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/safetensors"
)

// parallel is how many headers are fetched at once.
const parallel = 8

// small are the files that are fetched whole where a model has them: what says how it is built and used, and nothing with weights or words.
var small = []string{
	"config.json", "generation_config.json", "tokenizer_config.json", "special_tokens_map.json", "preprocessor_config.json",
	"processor_config.json", "quantize_config.json", "adapter_config.json", "model_index.json",
}

// maxSmall is more than any such file has.
const maxSmall = 16 << 20

// resolveRemote fetches a model's description and opens it. What is in the cache whole, under a commit, is not asked for again; where the hub
// cannot be reached at all, what the cache has is taken, and that is said.
func resolveRemote(ctx context.Context, ref string, i id, opt Options) (*Source, error) {
	env := environment(opt.Getenv)
	cache, ours := env.cache(), env.ours()
	if cache == "" || ours == "" {
		return nil, downloadError(ref, "there is nowhere to keep what is downloaded: set HF_HOME and VERIFIER_CACHE, or HOME")
	}
	cached, err := openCached(ref, i, cache, opt)
	if err != nil {
		cached = nil // it may be there under another revision only
	}
	if cached != nil && isCommit(i.revision) && cached.complete() {
		return cached, nil
	}
	if name := env.offline(); name != "" {
		return fallBack(cached, downloadError(ref, "cannot be downloaded while %s is set", name))
	}
	notes, commit, err := download(ctx, i, opt, cache, ours)
	var t *temporary
	if errors.As(err, &t) && ctx.Err() == nil {
		return fallBack(cached, downloadError(ref, "the hub cannot be reached: %v", err))
	}
	if cached != nil {
		_ = cached.Close()
	}
	if err != nil {
		var known *graph.Error
		if ctx.Err() != nil || errors.As(err, &known) {
			return nil, err
		}
		return nil, downloadError(ref, "%v", err)
	}
	s, err := openCached(ref, id{i.org, i.name, commit}, cache, opt)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, downloadError(ref, "what was downloaded is gone")
	}
	s.Notes = append(notes, s.Notes...)
	return s, nil
}

// fallBack takes what the cache has, and says why.
func fallBack(cached *Source, err error) (*Source, error) {
	if cached == nil {
		return nil, err
	}
	cached.notef("%v; commit %s of the cache was taken", err, cached.Revision)
	return cached, nil
}

// complete reports whether a configuration and all the headers are there.
func (s *Source) complete() bool {
	if s.Config == "" || len(s.Weights) == 0 {
		return false
	}
	if !strings.HasSuffix(s.Weights[0], ".json") {
		return true
	}
	index, err := safetensors.ReadIndex(s.fsys, s.Weights[0])
	if err != nil {
		return false
	}
	for _, f := range index.Files {
		if _, err := fs.Stat(s.fsys, path.Join(path.Dir(s.Weights[0]), f)); err != nil {
			return false
		}
	}
	return true
}

// job is one download.
type job struct {
	c      *client
	id     id
	list   *listing
	store  *store
	mutex  sync.Mutex
	at     Progress
	notify func(Progress)
}

// download fetches what says how a model is built, and returns its commit.
func download(ctx context.Context, i id, opt Options, cache, ours string) (notes []string, commit string, err error) {
	c, err := newClient(environment(opt.Getenv), opt.Agent)
	if err != nil {
		return nil, "", err
	}
	defer c.close()
	return downloadWith(ctx, c, i, opt.Progress, cache, ours)
}

func downloadWith(ctx context.Context, c *client, i id, progress func(Progress), cache, ours string) (notes []string, commit string, err error) {
	l, err := c.model(ctx, i)
	if err != nil {
		return nil, "", err
	}
	s, err := openStore(cache, ours, i, l.commit)
	if err != nil {
		return nil, "", err
	}
	defer s.close()
	j := &job{c: c, id: i, list: l, store: s, notify: progress}
	c.received = j.receive
	wanted, weights, notes, err := l.want()
	if err != nil {
		return nil, "", err
	}
	if err := j.each(ctx, wanted, j.whole); err != nil {
		return nil, "", err
	}
	shards, err := j.shards(weights)
	if err != nil {
		return nil, "", err
	}
	if err := j.each(ctx, shards, j.header); err != nil {
		return nil, "", err
	}
	if len(shards) > 0 {
		notes = append(notes, "of the weights only headers were downloaded; they are kept in "+s.ours.Name())
	}
	return notes, l.commit, s.putRef(i.revision)
}

// want lists the files to be fetched whole, and the files of weights, or their index, which is among the former.
func (l *listing) want() (whole []*remoteFile, weights []string, notes []string, err error) {
	for _, name := range small {
		if f := l.files[name]; f != nil {
			whole = append(whole, f)
		}
	}
	names := make([]string, 0, len(l.files))
	for name := range l.files {
		if !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	weights, err = safetensors.Find(names)
	if err != nil {
		notes = append(notes, "no headers were downloaded: "+err.Error())
	}
	if l.files["config.json"] == nil && len(weights) == 0 {
		return nil, nil, nil, errors.New("has neither config.json nor safetensors, and nothing else of it can be read without its weights: download the file that you want and name it. It has " + list(names))
	}
	if len(weights) == 1 && strings.HasSuffix(weights[0], ".json") {
		whole = append(whole, l.files[weights[0]])
	}
	return whole, weights, notes, nil
}

// shards lists the files of weights, which an index may name.
func (j *job) shards(weights []string) ([]*remoteFile, error) {
	if len(weights) == 1 && strings.HasSuffix(weights[0], ".json") {
		data, err := j.store.read(weights[0], safetensors.MaxHeaderBytes+1)
		if err != nil {
			return nil, err
		}
		index, err := safetensors.ParseIndex(data, weights[0])
		if err != nil {
			return nil, err
		}
		weights = index.Files
	}
	out := make([]*remoteFile, 0, len(weights))
	for _, name := range weights {
		f := j.list.files[name]
		if f == nil {
			return nil, errors.New("lacks " + name + ", which its index lists")
		}
		out = append(out, f)
	}
	return out, nil
}

// each fetches files, several at once, and returns the first error in their order.
func (j *job) each(ctx context.Context, files []*remoteFile, fetch func(context.Context, *remoteFile) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j.step("", 0, len(files), 0)
	errs := make([]error, len(files))
	var group sync.WaitGroup
	places := make(chan struct{}, parallel)
	for n, f := range files {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			if errs[n] = ctx.Err(); errs[n] == nil {
				errs[n] = j.one(ctx, f, fetch)
			}
			if errs[n] != nil {
				cancel()
			}
		})
	}
	group.Wait()
	var first error
	for _, err := range errs {
		if err != nil && (first == nil || errors.Is(first, context.Canceled)) {
			first = err
		}
	}
	return first
}

func (j *job) one(ctx context.Context, f *remoteFile, fetch func(context.Context, *remoteFile) error) error {
	if err := j.c.describe(ctx, j.id, j.list.commit, f); err != nil {
		return err
	}
	if !j.store.has(f) {
		if err := fetch(ctx, f); err != nil {
			return err
		}
	}
	j.step(f.name, 1, 0, 0)
	return nil
}

// whole fetches a small file. What an earlier download left of it is taken up, and given up if the result is damaged.
func (j *job) whole(ctx context.Context, f *remoteFile) error {
	limit := int64(maxSmall)
	if strings.HasSuffix(f.name, ".index.json") {
		limit = safetensors.MaxHeaderBytes
	}
	if f.bytes > limit {
		return &graph.Error{Code: graph.CodeBytes, Path: f.name, Message: "is too large for what it is", Limit: limit}
	}
	left := j.store.partial(f, f.bytes)
	data, err := j.c.fetchRange(ctx, j.id, j.list.commit, f, left, f.bytes)
	if err != nil {
		j.store.keepPartial(f, data)
		return err
	}
	j.store.keepPartial(f, nil)
	err = j.store.put(f, data)
	if err != nil && len(left) > 0 {
		if data, err = j.c.fetchRange(ctx, j.id, j.list.commit, f, nil, f.bytes); err == nil {
			err = j.store.put(f, data)
		}
	}
	return err
}

// header fetches the header of a file of weights: eight bytes that say how long it is, then so many. It is read once before it is kept.
func (j *job) header(ctx context.Context, f *remoteFile) error {
	const prefix = 8
	if j.store.hasHeader(f) {
		return nil
	}
	data := j.store.partial(f, safetensors.MaxHeaderBytes+prefix)
	data, err := j.c.fetchRange(ctx, j.id, j.list.commit, f, data, max(int64(len(data)), min(prefix, f.bytes)))
	if err != nil {
		return err
	}
	n, err := safetensors.HeaderLength(data, f.name)
	if err != nil {
		j.store.keepPartial(f, nil)
		return err
	}
	if prefix+n > f.bytes {
		return errors.New("is damaged: the header of " + f.name + " would be longer than the file")
	}
	if data, err = j.c.fetchRange(ctx, j.id, j.list.commit, f, data, prefix+n); err != nil {
		j.store.keepPartial(f, data)
		return err
	}
	j.store.keepPartial(f, nil)
	if _, err := safetensors.Parse(data[prefix:], f.bytes-int64(len(data)), f.name); err != nil {
		return err
	}
	return j.store.putHeader(f, data)
}

// step tells how far the download is.
func (j *job) step(name string, done, total, bytes int) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.at.Done += done
	j.at.Total += total
	j.at.Bytes += int64(bytes)
	if name != "" {
		j.at.File = name
	}
	if j.notify != nil {
		j.notify(j.at)
	}
}

func (j *job) receive(n int) {
	if n > 0 {
		j.step("", 0, 0, n)
	}
}
