package kubernetes

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	faults "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	stand "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/modelverifier/verifier/internal/jobs"
)

var update = flag.Bool("update", false, "write the manifests of testdata")

const least = "namespace: training\nimage: registry.example/verifier-worker:1\n"

func parse(t *testing.T, text string) Config {
	t.Helper()
	c, err := Parse([]byte(least + text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cluster is a backend over client-go's own stand-in for a cluster.
func cluster(t *testing.T, text string, objects ...runtime.Object) (*Backend, *fake.Clientset) {
	t.Helper()
	f := fake.NewClientset(objects...)
	return &Backend{config: parse(t, text), batch: f.BatchV1(), core: f.CoreV1()}, f
}

func node(name, product string, change ...func(*core.Node)) *core.Node {
	n := &core.Node{ObjectMeta: meta.ObjectMeta{Name: name, Labels: map[string]string{"nvidia.com/gpu.product": product}},
		Status: core.NodeStatus{Allocatable: core.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}, Conditions: []core.NodeCondition{{Type: core.NodeReady, Status: core.ConditionTrue}}}}
	for _, f := range change {
		f(n)
	}
	return n
}

func ticket(job string) jobs.Ticket {
	return jobs.Ticket{Job: job, Attempt: 1, Token: "mvj_the-secret-of-" + job, Server: "https://verifier.example", Dataset: "mnist", Runtime: time.Hour}
}

func start(t *testing.T, b *Backend, k jobs.Ticket) string {
	t.Helper()
	ref, err := b.Start(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// TestManifestsAreAsWritten compares what would be applied with testdata, where a person can read it.
func TestManifestsAreAsWritten(t *testing.T) {
	for name, c := range map[string]struct{ config, gpu string }{
		"cpu": {"cpu: true\n", ""},
		"gpu": {"cards: {H100: NVIDIA-H100-80GB-HBM3}\n", "H100"},
		"every-key": {`dataClaim: datasets
cards: {MI300X: AMD_Instinct_MI300X}
label: amd.com/gpu.product-name
resource: amd.com/gpu
cpus: "16"
memory: 64Gi
scratch: 100Gi
margin: 1h
keep: 24h
pullSecret: registry
priorityClass: training
runtimeClass: accelerated
tolerations: [{key: amd.com/gpu, operator: Exists, effect: NoSchedule}]
`, "MI300X"},
	} {
		t.Run(name, func(t *testing.T) {
			b, f := cluster(t, c.config)
			k := ticket("abc234")
			k.GPU, k.Attempt = c.gpu, 2
			if ref := start(t, b, k); ref != "training/mv-abc234-2" {
				t.Error(ref)
			}
			job, err := f.BatchV1().Jobs("training").Get(t.Context(), "mv-abc234-2", meta.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			secret, err := f.CoreV1().Secrets("training").Get(t.Context(), "mv-abc234-2", meta.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			job.ManagedFields, secret.ManagedFields = nil, nil
			first, err := yaml.Marshal(job)
			if err != nil {
				t.Fatal(err)
			}
			second, err := yaml.Marshal(secret)
			if err != nil {
				t.Fatal(err)
			}
			got, path := string(first)+"---\n"+string(second), filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || got != string(want) {
				t.Errorf("%v\n%s", err, got)
			}
			if strings.Contains(string(first), k.Token) {
				t.Error("the token is in the Job")
			}
		})
	}
}

func TestASecondStartFindsTheFirst(t *testing.T) {
	b, f := cluster(t, "cpu: true\n")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if ref, err := b.Start(context.Background(), ticket("a")); err != nil || ref != "training/mv-a-1" {
				t.Error(ref, err)
			}
		})
	}
	all.Wait()
	other := ticket("a")
	other.Attempt = 2
	start(t, b, other)
	list, err := f.BatchV1().Jobs("training").List(t.Context(), meta.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		t.Errorf("%d Jobs, %v", len(list.Items), err)
	}
}

// TestAStartThatDiedHalfwayIsFinished: the Job is there, and its pod waits for a Secret that never came.
func TestAStartThatDiedHalfwayIsFinished(t *testing.T) {
	b, f := cluster(t, "cpu: true\n")
	broken := errors.New("the connection was cut")
	fails := true
	f.PrependReactor("create", "secrets", func(stand.Action) (bool, runtime.Object, error) { return fails, nil, broken })
	if _, err := b.Start(t.Context(), ticket("a")); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	fails = false
	start(t, b, ticket("a"))
	s, err := f.CoreV1().Secrets("training").Get(t.Context(), "mv-a-1", meta.GetOptions{})
	if err != nil || string(s.Data["token"]) != ticket("a").Token+"\n" {
		t.Error(s, err)
	}
}

func TestAForeignJobOfTheNameIsLeftAlone(t *testing.T) {
	b, f := cluster(t, "cpu: true\n", &batch.Job{ObjectMeta: meta.ObjectMeta{Name: "mv-a-1", Namespace: "training"}})
	if ref, err := b.Start(t.Context(), ticket("a")); err == nil || !strings.Contains(err.Error(), "not ours") {
		t.Error(ref, err)
	}
	if s, err := f.CoreV1().Secrets("training").List(t.Context(), meta.ListOptions{}); err != nil || len(s.Items) > 0 {
		t.Error("it was given a token: ", s, err)
	}
}

func TestWhatTheClusterRefusesIsSaid(t *testing.T) {
	jobsOf := schema.GroupResource{Group: "batch", Resource: "jobs"}
	for _, c := range []struct {
		err     error
		refused bool
	}{
		{faults.NewForbidden(jobsOf, "mv-a-1", errors.New("admission webhook denied the request")), true},
		{faults.NewInvalid(schema.GroupKind{Group: "batch", Kind: "Job"}, "mv-a-1", nil), true},
		{faults.NewServiceUnavailable("away"), false},
		{faults.NewTooManyRequests("slowly", 1), false},
		{faults.NewTimeoutError("late", 1), false},
		{errors.New("connection refused"), false},
	} {
		b, f := cluster(t, "cpu: true\n")
		f.PrependReactor("create", "jobs", func(stand.Action) (bool, runtime.Object, error) { return true, nil, c.err })
		if _, err := b.Start(t.Context(), ticket("a")); err == nil || errors.As(err, new(*jobs.RefusedError)) != c.refused {
			t.Errorf("%v: %v", c.err, err)
		}
	}
	b, _ := cluster(t, "cpu: true\n", node("a", "NVIDIA-H100-80GB-HBM3"))
	k := ticket("a")
	k.GPU = "B200"
	if _, err := b.Start(t.Context(), k); err == nil || !strings.Contains(err.Error(), "no node that is ready has a B200") {
		t.Error(err)
	}
}

func TestAStoppedJobIsRemovedUnlessItHasFinished(t *testing.T) {
	b, f := cluster(t, "cpu: true\n")
	there := func(name string) (job, secret bool) {
		_, jobErr := f.BatchV1().Jobs("training").Get(t.Context(), name, meta.GetOptions{})
		_, secretErr := f.CoreV1().Secrets("training").Get(t.Context(), name, meta.GetOptions{})
		return jobErr == nil, secretErr == nil
	}
	running, finished := start(t, b, ticket("a")), start(t, b, ticket("b"))
	finish(t, f, "mv-b-1", batch.JobComplete, "CompletionsReached")
	for range 2 { // the second time it is gone
		for _, ref := range []string{running, finished} {
			if err := b.Stop(t.Context(), ref); err != nil {
				t.Error(err)
			}
		}
	}
	if job, secret := there("mv-a-1"); job || secret {
		t.Error("what runs is left: ", job, secret)
	}
	if job, secret := there("mv-b-1"); !job || secret {
		t.Error("what has finished should keep its log and lose its token: ", job, secret)
	}
	if err := b.Stop(t.Context(), start(t, b, ticket("b"))); err != nil {
		t.Error(err)
	}
	for _, a := range f.Actions() {
		if d, ok := a.(stand.DeleteAction); ok && a.GetResource().Resource == "jobs" {
			if o := d.GetDeleteOptions(); o.PropagationPolicy == nil || *o.PropagationPolicy != meta.DeletePropagationBackground {
				t.Error("its pods are left")
			}
		}
		if a.GetResource().Resource == "secrets" && a.GetVerb() != "create" && a.GetVerb() != "delete" && !strings.HasPrefix(a.GetVerb(), "get") {
			t.Errorf("%s of a secret", a.GetVerb())
		}
	}
}

func finish(t *testing.T, f *fake.Clientset, name string, kind batch.JobConditionType, reason string) {
	t.Helper()
	j, err := f.BatchV1().Jobs("training").Get(t.Context(), name, meta.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	j.Status.Conditions = []batch.JobCondition{{Type: kind, Status: core.ConditionTrue, Reason: reason}}
	if _, err := f.BatchV1().Jobs("training").UpdateStatus(t.Context(), j, meta.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestWhyAJobIsGoneIsSaid(t *testing.T) {
	ago := meta.NewTime(time.Now().Add(-patience - time.Minute))
	terminated := func(code int32, reason string) core.PodStatus {
		return core.PodStatus{Phase: core.PodFailed, ContainerStatuses: []core.ContainerStatus{{State: core.ContainerState{Terminated: &core.ContainerStateTerminated{ExitCode: code, Reason: reason}}}}}
	}
	waiting := func(reason string) core.PodStatus {
		return core.PodStatus{Phase: core.PodPending, ContainerStatuses: []core.ContainerStatus{{State: core.ContainerState{Waiting: &core.ContainerStateWaiting{Reason: reason}}}}}
	}
	for _, c := range []struct {
		name      string
		condition batch.JobConditionType
		reason    string
		made      meta.Time
		pod       core.PodStatus
		want      string
	}{
		{"waits for a card", "", "", ago, core.PodStatus{Phase: core.PodPending}, ""},
		{"runs", "", "", ago, core.PodStatus{Phase: core.PodRunning, ContainerStatuses: []core.ContainerStatus{{State: core.ContainerState{Running: &core.ContainerStateRunning{}}}}}, ""},
		{"completed", batch.JobComplete, "CompletionsReached", ago, core.PodStatus{Phase: core.PodSucceeded}, "Kubernetes: Complete: its worker ended without taking the job"},
		{"failed", batch.JobFailed, "BackoffLimitExceeded", ago, terminated(4, "Error"), "Kubernetes: BackoffLimitExceeded: its worker ended with exit code 4 (Error)"},
		{"out of memory", batch.JobFailed, "BackoffLimitExceeded", ago, terminated(137, "OOMKilled"), "Kubernetes: BackoffLimitExceeded: its worker ended with exit code 137 (OOMKilled)"},
		{"evicted", batch.JobFailed, "BackoffLimitExceeded", ago, core.PodStatus{Phase: core.PodFailed, Reason: "Evicted"}, "Kubernetes: BackoffLimitExceeded: its pod failed: Evicted"},
		{"too long", batch.JobFailed, "BackoffLimitExceeded", ago, core.PodStatus{Phase: core.PodFailed, Reason: "DeadlineExceeded"}, "Kubernetes: BackoffLimitExceeded: its pod failed: DeadlineExceeded"},
		{"a pod that is about to be counted", "", "", ago, terminated(2, "Error"), "Kubernetes: its worker ended with exit code 2 (Error)"},
		{"no such image", "", "", meta.Now(), waiting("InvalidImageName"), "Kubernetes: its worker cannot be started: InvalidImageName"},
		{"a registry that is away", "", "", meta.Now(), waiting("ImagePullBackOff"), ""},
		{"a registry that stays away", "", "", ago, waiting("ImagePullBackOff"), "Kubernetes: its worker cannot be started: ImagePullBackOff"},
	} {
		b, f := cluster(t, "cpu: true\n")
		ref := start(t, b, ticket("a"))
		if c.condition != "" {
			finish(t, f, "mv-a-1", c.condition, c.reason)
		}
		pod := &core.Pod{ObjectMeta: meta.ObjectMeta{Name: "mv-a-1-x", Namespace: "training", CreationTimestamp: c.made, Labels: map[string]string{"batch.kubernetes.io/job-name": "mv-a-1"}}, Status: c.pod}
		if _, err := f.CoreV1().Pods("training").Create(t.Context(), pod, meta.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Gone(t.Context(), ref); got != c.want || err != nil {
			t.Errorf("%s: %q %v", c.name, got, err)
		}
	}
	b, f := cluster(t, "cpu: true\n")
	if got, err := b.Gone(t.Context(), "training/mv-a-1"); got != "Kubernetes does not know the job any more" || err != nil {
		t.Error(got, err)
	}
	f.PrependReactor("get", "jobs", func(stand.Action) (bool, runtime.Object, error) {
		return true, nil, faults.NewServiceUnavailable("away")
	})
	if got, err := b.Gone(t.Context(), "training/mv-a-1"); got != "" || err == nil {
		t.Error("a cluster that is away gives an answer: ", got)
	}
}

func TestOffersAreTheCardsOfNodesThatAreReady(t *testing.T) {
	nodes := []runtime.Object{
		node("a", "NVIDIA-H100-80GB-HBM3"), node("b", "NVIDIA-H100-80GB-HBM3"), node("c", "NVIDIA-A100-SXM4-40GB"), node("d", "Tesla-T4"),
		node("closed", "NVIDIA-H200", func(n *core.Node) { n.Spec.Unschedulable = true }),
		node("away", "NVIDIA-B200", func(n *core.Node) { n.Status.Conditions[0].Status = core.ConditionUnknown }),
		node("bare", "NVIDIA-L4", func(n *core.Node) { n.Status.Allocatable = nil }),
		node("sliced", "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"), node("shared", "NVIDIA-L40S-SHARED"), node("strange", "NVIDIA-GeForce-256"),
	}
	b, f := cluster(t, "", nodes...)
	o, err := b.Offers(t.Context())
	if err != nil || !slices.Equal(o.Cards, []string{"T4", "A100-40GB", "H100"}) || o.CPU || o.Datasets != nil {
		t.Errorf("%+v %v", o, err)
	}
	calls := len(f.Actions())
	if _, err := b.Offers(t.Context()); err != nil || len(f.Actions()) != calls {
		t.Error("the cluster is asked again at once: ", err)
	}
	k := ticket("a")
	k.GPU = "A100-40GB"
	start(t, b, k)
	j, err := f.BatchV1().Jobs("training").Get(t.Context(), "mv-a-1", meta.GetOptions{})
	if err != nil || j.Spec.Template.Spec.NodeSelector["nvidia.com/gpu.product"] != "NVIDIA-A100-SXM4-40GB" {
		t.Error(j, err)
	}
	b, _ = cluster(t, "cards: {H100: NVIDIA-H100-80GB-HBM3, B200: NVIDIA-B200}\ncpu: true\ndatasets: []\n", nodes...)
	if o, err := b.Offers(t.Context()); err != nil || !slices.Equal(o.Cards, []string{"H100"}) || !o.CPU {
		t.Errorf("%+v %v", o, err)
	}
}

func TestAServiceThatMayNotSeeNodesOffersWhatIsConfigured(t *testing.T) {
	b, f := cluster(t, "cards: {H100: NVIDIA-H100-80GB-HBM3}\n")
	f.PrependReactor("list", "nodes", func(stand.Action) (bool, runtime.Object, error) {
		return true, nil, faults.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", errors.New("no"))
	})
	if o, err := b.Offers(t.Context()); err != nil || !slices.Equal(o.Cards, []string{"H100"}) {
		t.Errorf("%+v %v", o, err)
	}
	b, f = cluster(t, "cpu: true\n")
	f.PrependReactor("list", "nodes", func(stand.Action) (bool, runtime.Object, error) {
		return true, nil, faults.NewServiceUnavailable("away")
	})
	if o, err := b.Offers(t.Context()); err == nil || o.CPU {
		t.Errorf("a cluster that is away offers %+v", o)
	}
}

func TestCardsAreKnownByTheirLabels(t *testing.T) {
	for product, want := range map[string]string{"NVIDIA-H100-80GB-HBM3": "H100", "NVIDIA-A100-SXM4-80GB": "A100-80GB", "NVIDIA-A100-PCIE-40GB": "A100-40GB", "NVIDIA-H200": "H200",
		"NVIDIA-L40S": "L40S", "NVIDIA-L4": "L4", "NVIDIA-A10G": "A10G", "Tesla-V100-SXM2-16GB": "V100", "NVIDIA-GeForce-RTX-4090": "RTX4090", "NVIDIA-B200": "B200", "": "", "NVIDIA": "", "80GB": ""} {
		if got := cardOf(product); got != want {
			t.Errorf("%s is %q, want %q", product, got, want)
		}
	}
}

func TestAWrongConfigurationIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                                "namespace is missing",
		"namespace: a\n":                                  "image",
		"namespace: A_b\nimage: x\n":                      "namespace",
		"namespace: a\nimage: \"x y\"\n":                  "image",
		least + "nothing: 1\n":                            "nothing",
		least + "kubeconfig: here\n":                      "absolute path",
		least + "cards: {h100: x}\n":                      "there are",
		least + "cards: {H100: \"a b\"}\n":                "label",
		least + "memory: much\n":                          "amount",
		least + "cpus: \"0\"\n":                           "amount",
		least + "keep: 1s\n":                              "keep",
		least + "margin: 48h\n":                           "margin",
		least + "datasets: [imagenet]\n":                  "datasets",
		least + "label: \"a b\"\n":                        "label",
		least + "tolerations: [{key: a, operator: In}]\n": "Exists and Equal",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReferencesThatAreNoneAreRefused(t *testing.T) {
	b, _ := cluster(t, "")
	for _, ref := range []string{"", "training", "training/", "/mv-a-1", "training/x", "training/mv-A-1", "training/mv-a-1/x"} {
		if err := b.Stop(t.Context(), ref); err == nil {
			t.Errorf("%q is stopped", ref)
		}
		if _, err := b.Gone(t.Context(), ref); err == nil {
			t.Errorf("%q is looked for", ref)
		}
	}
	for _, job := range []string{"", "a b", "A", "a/b", strings.Repeat("a", 49)} {
		if _, err := b.Start(t.Context(), ticket(job)); err == nil {
			t.Errorf("%q is started", job)
		}
	}
}

// TestAKubeconfigIsRead makes a backend as the service does, without a cluster.
func TestAKubeconfigIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte("apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nclusters: [{name: a, cluster: {server: \"https://127.0.0.1:1\"}}]\nusers: [{name: a, user: {token: x}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := New(parse(t, "kubeconfig: "+path+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Offers(t.Context()); err == nil || b.Name() != "kubernetes" {
		t.Error("a cluster that is not there has nodes: ", err)
	}
	if _, err := New(parse(t, "kubeconfig: /does/not/exist\n")); err == nil {
		t.Error("a kubeconfig that is not there is taken")
	}
}

// TestTheOperatorsRolesAllowWhatIsDone holds deploy/kubernetes/training.yaml to the calls of the code, and to no more.
func TestTheOperatorsRolesAllowWhatIsDone(t *testing.T) {
	text, err := os.ReadFile("../../../deploy/kubernetes/training.yaml")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var role struct {
			Kind  string
			Rules []struct{ Resources, Verbs []string }
		}
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			for _, r := range rule.Resources {
				for _, verb := range rule.Verbs {
					allowed[verb+" "+r] = true
				}
			}
		}
	}
	b, f := cluster(t, "", node("a", "NVIDIA-H200"))
	k := ticket("a")
	k.GPU = "H200"
	for range 2 {
		ref := start(t, b, k)
		if _, err := b.Gone(t.Context(), ref); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Stop(t.Context(), "training/mv-a-1"); err != nil {
		t.Fatal(err)
	}
	for _, a := range f.Actions() {
		call := a.GetVerb() + " " + a.GetResource().Resource
		if _, known := allowed[call]; !known {
			t.Errorf("%s is not allowed", call)
		}
		allowed[call] = false
	}
	for call, unused := range allowed {
		if unused {
			t.Errorf("%s is allowed and not needed", call)
		}
	}
}

// TestTheImageIsWhatJobsExpect holds deploy/worker/Dockerfile to the paths and the user of a Job.
func TestTheImageIsWhatJobsExpect(t *testing.T) {
	text, err := os.ReadFile("../../../deploy/worker/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	id := strconv.Itoa(nobody)
	for _, line := range []string{"COPY verifier-worker " + program, `ENTRYPOINT ["` + program + `"]`, "USER " + id + ":" + id, "ENV HOME=" + workFolder + " TMPDIR=" + workFolder + " VERIFIER_DATASETS=" + dataFolder} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("%q is missing", line)
		}
	}
}
