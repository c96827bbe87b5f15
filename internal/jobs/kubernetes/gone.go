package kubernetes

import (
	"context"
	"fmt"
	"time"

	core "k8s.io/api/core/v1"
	faults "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// patience is how long a pod may fail to begin before it is given up: a registry may be away for a while.
const patience = 15 * time.Minute

// Gone says why a Job will not run any more, or nothing where it may.
func (b *Backend) Gone(ctx context.Context, ref string) (string, error) {
	namespace, called, err := parseReference(ref)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	job, err := b.batch.Jobs(namespace).Get(ctx, called, meta.GetOptions{})
	if faults.IsNotFound(err) {
		return "Kubernetes does not know the job any more", nil
	}
	if err != nil {
		return "", fmt.Errorf("kubernetes: %w", err)
	}
	failed, done := conditionOf(job)
	if done && failed == "" {
		return "Kubernetes: Complete: its worker ended without taking the job", nil
	}
	pods, err := b.core.Pods(namespace).List(ctx, meta.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + called})
	if err != nil {
		return "", fmt.Errorf("kubernetes: %w", err)
	}
	why := ""
	for i := range pods.Items {
		if w := ended(&pods.Items[i], time.Now()); w != "" {
			why = w
		}
	}
	switch {
	case failed != "" && why != "":
		return "Kubernetes: " + failed + ": " + why, nil
	case failed != "":
		return "Kubernetes: " + failed, nil
	case why != "":
		return "Kubernetes: " + why, nil
	}
	return "", nil
}

// ended says why a pod has ended, or will not begin.
func ended(p *core.Pod, now time.Time) string {
	for _, s := range p.Status.ContainerStatuses {
		if e := s.State.Terminated; e != nil && e.ExitCode != 0 {
			return fmt.Sprintf("its worker ended with exit code %d (%s)", e.ExitCode, e.Reason)
		}
		w := s.State.Waiting
		if w == nil {
			continue
		}
		switch w.Reason {
		case "InvalidImageName", "ErrImageNeverPull":
			return "its worker cannot be started: " + w.Reason
		case "ErrImagePull", "ImagePullBackOff", "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
			if now.Sub(p.CreationTimestamp.Time) > patience {
				return "its worker cannot be started: " + w.Reason
			}
		}
	}
	if p.Status.Phase == core.PodFailed {
		return "its pod failed: " + p.Status.Reason // such as Evicted, Preempting, NodeLost
	}
	return ""
}
