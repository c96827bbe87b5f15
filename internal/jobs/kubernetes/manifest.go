package kubernetes

import (
	"strconv"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/modelverifier/verifier/internal/jobs"
)

// Labels of what the service makes.
const (
	managedLabel = "app.kubernetes.io/managed-by"
	nameLabel    = "app.kubernetes.io/name"
	jobLabel     = "verifier-job"
	attemptLabel = "verifier-attempt"
	manager      = "verifier-hosted"
)

// Where things are in the worker's container (deploy/worker/Dockerfile).
const (
	program    = "/usr/local/bin/verifier-worker"
	dataFolder = "/data"
	workFolder = "/work"
	tokens     = "/run/secrets/verifier"
	tokenKey   = "token"
	nobody     = 65532
)

// grace is what a worker has for stopping its trainer and giving its lease back.
const grace = 30

func labels(t jobs.Ticket) map[string]string {
	return map[string]string{managedLabel: manager, nameLabel: "verifier-worker", jobLabel: t.Job, attemptLabel: strconv.Itoa(t.Attempt)}
}

// manifest is the Job of a ticket. It is tried once: another attempt is another Job, which the service asks for.
func (c *Config) manifest(t jobs.Ticket) *batch.Job {
	return &batch.Job{
		ObjectMeta: meta.ObjectMeta{Name: name(t.Job, t.Attempt), Namespace: c.Namespace, Labels: labels(t)},
		Spec: batch.JobSpec{
			BackoffLimit:            new(int32(0)),
			Completions:             new(int32(1)),
			Parallelism:             new(int32(1)),
			TTLSecondsAfterFinished: new(int32(c.Keep / time.Second)),
			Template:                core.PodTemplateSpec{ObjectMeta: meta.ObjectMeta{Labels: labels(t)}, Spec: c.pod(t)},
		},
	}
}

func (c *Config) pod(t jobs.Ticket) core.PodSpec {
	p := core.PodSpec{
		RestartPolicy: core.RestartPolicyNever,
		// The pod's own limit counts from its start; that of the Job would count the time in which it waits for a card, too.
		ActiveDeadlineSeconds:         new(int64((t.Runtime + c.Margin + time.Second - 1) / time.Second)),
		TerminationGracePeriodSeconds: new(int64(grace)),
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		PriorityClassName:             c.Priority,
		SecurityContext: &core.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(nobody)), RunAsGroup: new(int64(nobody)), FSGroup: new(int64(nobody)),
			SeccompProfile: &core.SeccompProfile{Type: core.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []core.Container{c.container(t)},
		Volumes: []core.Volume{
			{Name: "work", VolumeSource: core.VolumeSource{EmptyDir: &core.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse(c.Scratch))}}},
			{Name: "token", VolumeSource: core.VolumeSource{Secret: &core.SecretVolumeSource{SecretName: name(t.Job, t.Attempt), DefaultMode: new(int32(0o440))}}},
		},
	}
	if c.Claim != "" {
		p.Volumes = append(p.Volumes, core.Volume{Name: "data", VolumeSource: core.VolumeSource{
			PersistentVolumeClaim: &core.PersistentVolumeClaimVolumeSource{ClaimName: c.Claim, ReadOnly: true}}})
	}
	if c.Runtime != "" {
		p.RuntimeClassName = new(c.Runtime)
	}
	if c.PullSecret != "" {
		p.ImagePullSecrets = []core.LocalObjectReference{{Name: c.PullSecret}}
	}
	for _, o := range c.Tolerate {
		p.Tolerations = append(p.Tolerations, core.Toleration{Key: o.Key, Operator: core.TolerationOperator(o.Operator), Value: o.Value, Effect: core.TaintEffect(o.Effect)})
	}
	return p
}

func (c *Config) container(t jobs.Ticket) core.Container {
	amounts := core.ResourceList{
		core.ResourceCPU: resource.MustParse(c.CPUs), core.ResourceMemory: resource.MustParse(c.Memory), core.ResourceEphemeralStorage: resource.MustParse(c.Scratch),
	}
	args := []string{"run", "--server", t.Server, "--job", t.Job, "--token-file", tokens + "/" + tokenKey, "--data", dataFolder, "--work", workFolder}
	if t.GPU != "" {
		amounts[core.ResourceName(c.Resource)] = resource.MustParse("1")
		args = append(args, "--cards", t.GPU) // what nodes of the label have counts as this card
	}
	k := core.Container{
		Name: "worker", Image: c.Image, ImagePullPolicy: core.PullIfNotPresent,
		Command: []string{program},
		Args:    args,
		// The root is read-only: everything that is written is in the scratch folder, and goes with the pod.
		Env:       []core.EnvVar{{Name: "HOME", Value: workFolder}, {Name: "TMPDIR", Value: workFolder}},
		Resources: core.ResourceRequirements{Requests: amounts, Limits: amounts.DeepCopy()},
		SecurityContext: &core.SecurityContext{AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &core.Capabilities{Drop: []core.Capability{"ALL"}}},
		VolumeMounts: []core.VolumeMount{{Name: "work", MountPath: workFolder}, {Name: "token", MountPath: tokens, ReadOnly: true}},
	}
	if c.Claim != "" {
		k.VolumeMounts = append(k.VolumeMounts, core.VolumeMount{Name: "data", MountPath: dataFolder, ReadOnly: true})
	}
	return k
}

// secret is a Job's token. It belongs to the Job, and goes with it.
func (c *Config) secret(t jobs.Ticket, owner *batch.Job) *core.Secret {
	return &core.Secret{
		ObjectMeta: meta.ObjectMeta{Name: owner.Name, Namespace: c.Namespace, Labels: labels(t), OwnerReferences: []meta.OwnerReference{
			{APIVersion: "batch/v1", Kind: "Job", Name: owner.Name, UID: owner.UID, Controller: new(true), BlockOwnerDeletion: new(false)}}},
		Type: core.SecretTypeOpaque, Immutable: new(true), Data: map[string][]byte{tokenKey: []byte(t.Token + "\n")},
	}
}
