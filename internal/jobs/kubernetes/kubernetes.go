// Package kubernetes runs jobs on a Kubernetes cluster: one Job for each attempt, with the worker's image. Scheduling is the cluster's.
//
// A Job's name follows from our id and the attempt, so that a second Start finds the first. The token is in a Secret that belongs to the
// Job. The service makes Secrets and removes them, and never reads one.
package kubernetes

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	faults "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchclient "k8s.io/client-go/kubernetes/typed/batch/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/jobs"
)

// Backend is a Kubernetes cluster.
type Backend struct {
	config Config
	batch  batchclient.BatchV1Interface
	core   coreclient.CoreV1Interface

	mu     sync.Mutex
	seen   time.Time // when the cluster was asked for its cards
	offers jobs.Offers
	labels map[string]string // value of the label of a card
	err    error
}

var _ jobs.Backend = (*Backend)(nil)

// callTime is what one call of the cluster may take.
const callTime = 20 * time.Second

// New makes a backend of a configuration that Parse gave. It asks the cluster for nothing yet.
func New(c Config) (*Backend, error) {
	var r *rest.Config
	var err error
	if c.Kubeconfig == "" {
		r, err = rest.InClusterConfig()
	} else {
		r, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("kubernetes: %w", err)
	}
	r.Timeout, r.UserAgent, r.WarningHandler, r.QPS, r.Burst = callTime, manager, rest.NoWarnings{}, 20, 40
	b := &Backend{config: c}
	if b.batch, err = batchclient.NewForConfig(r); err == nil {
		b.core, err = coreclient.NewForConfig(r)
	}
	if err != nil {
		return nil, fmt.Errorf("kubernetes: %w", err)
	}
	return b, nil
}

// Name is kubernetes.
func (b *Backend) Name() string { return "kubernetes" }

// ids are those that our jobs have: they must fit into a name of 63 characters.
var ids = regexp.MustCompile(`^[a-z0-9]{1,48}$`)

var names = regexp.MustCompile(`^mv-[a-z0-9]{1,48}-\d{1,9}$`)

// name is what a job is called in the cluster.
func name(job string, attempt int) string { return "mv-" + job + "-" + strconv.Itoa(attempt) }

// Start makes the Job of a ticket and its Secret, unless they are there.
func (b *Backend) Start(ctx context.Context, t jobs.Ticket) (string, error) {
	if !ids.MatchString(t.Job) || t.Attempt < 1 {
		return "", fmt.Errorf("kubernetes: %q, attempt %d, cannot be in the name of a Job", t.Job, t.Attempt)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	manifest := b.config.manifest(t)
	if t.GPU != "" {
		value, err := b.labelOf(ctx, t.GPU)
		if err != nil {
			return "", err
		}
		manifest.Spec.Template.Spec.NodeSelector = map[string]string{b.config.Label: value}
	}
	made, err := b.batch.Jobs(b.config.Namespace).Create(ctx, manifest, meta.CreateOptions{})
	if faults.IsAlreadyExists(err) {
		made, err = b.batch.Jobs(b.config.Namespace).Get(ctx, manifest.Name, meta.GetOptions{})
		if err == nil && made.Labels[jobLabel] != t.Job {
			err = fmt.Errorf("the Job %s is not ours", manifest.Name)
		}
	}
	if err != nil {
		return "", fault(err)
	}
	// Whoever made the Job may have died before its Secret: its pod waits for that.
	if why, _ := conditionOf(made); why == "" {
		_, err = b.core.Secrets(b.config.Namespace).Create(ctx, b.config.secret(t, made), meta.CreateOptions{})
		if err != nil && !faults.IsAlreadyExists(err) {
			return "", fault(err)
		}
	}
	return b.config.Namespace + "/" + made.Name, nil
}

// fault tells the cluster's no from its absence.
func fault(err error) error {
	if faults.IsInvalid(err) || faults.IsForbidden(err) || faults.IsBadRequest(err) {
		return &jobs.RefusedError{Reason: "Kubernetes: " + graph.Cut(err.Error(), 300)}
	}
	return fmt.Errorf("kubernetes: %w", err)
}

func parseReference(ref string) (namespace, called string, err error) {
	namespace, called, ok := strings.Cut(ref, "/")
	if !ok || namespace == "" || !names.MatchString(called) {
		return "", "", fmt.Errorf("kubernetes: %.80q is no reference", ref)
	}
	return namespace, called, nil
}

// Stop removes a Job that has not finished, with its pod. One that has stays for its log, and loses its token.
func (b *Backend) Stop(ctx context.Context, ref string) error {
	namespace, called, err := parseReference(ref)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	job, err := b.batch.Jobs(namespace).Get(ctx, called, meta.GetOptions{})
	if err == nil {
		if why, done := conditionOf(job); why == "" && !done {
			err = b.batch.Jobs(namespace).Delete(ctx, called, meta.DeleteOptions{PropagationPolicy: new(meta.DeletePropagationBackground), Preconditions: &meta.Preconditions{UID: &job.UID}})
		}
	}
	if err != nil && !faults.IsNotFound(err) {
		return fmt.Errorf("kubernetes: %w", err)
	}
	if err := b.core.Secrets(namespace).Delete(ctx, called, meta.DeleteOptions{}); err != nil && !faults.IsNotFound(err) {
		return fmt.Errorf("kubernetes: %w", err)
	}
	return nil
}

// conditionOf says why a Job failed, and whether it has finished.
func conditionOf(j *batch.Job) (failed string, done bool) {
	for _, c := range j.Status.Conditions {
		if c.Status != core.ConditionTrue {
			continue
		}
		switch c.Type {
		case batch.JobFailed, batch.JobFailureTarget:
			return c.Reason, true
		case batch.JobComplete, batch.JobSuccessCriteriaMet:
			done = true
		}
	}
	return "", done
}
