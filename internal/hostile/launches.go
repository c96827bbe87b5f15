package hostile

import "strings"

// The sizes of files that a launch command is read from, and that it names: larger ones are refused unread.
const (
	manifestBytes = 256<<10 - 100
	defaultsBytes = 64<<10 - 100
)

// Manifests are files of Docker Compose and of Kubernetes.
func Manifests() map[string]File {
	const service = "services:\n  a:\n    image: vllm/vllm-openai:v0.12.0\n    command: "
	pod := func(s string) string { return "kind: Pod\nspec:\n  containers:\n" + s }
	out := map[string]File{
		"laughs":      func() string { return "services:\n" + laughs() },
		"merges":      func() string { return "services:\n" + merged() },
		"laughs each": func() string { return "services:\n" + strings.Repeat("---\n"+laughs(), manifestBytes/len(laughs())-1) },
		"some laughs": func() string {
			return "services:\n" + strings.Repeat("---\n"+strings.Join(strings.SplitAfter(laughs(), "\n")[:4], ""), 900)
		},
		"merged keys": func() string { return numberedMerges(manifestBytes) },
		"long alias": func() string {
			return "services:\na: &a " + fill("x", manifestBytes/2) + "\nb: [" + fill("*a,", 50_000) + "]"
		},
		"arguments":   func() string { return service + "[" + fill("--x,", manifestBytes-1000) + "]" },
		"a text":      func() string { return service + `"` + fill("--x 1 ", manifestBytes-1000) + `"` },
		"containers":  func() string { return pod(fill("  - {image: vllm/vllm-openai, args: [m]}\n", manifestBytes)) },
		"images":      func() string { return pod(fill("  - image: vllm\n", manifestBytes)) },
		"environment": func() string { return service + "m\n    environment: [" + numbered("A%d=1,", 200_000) + "]" },
		"tag":         func() string { return strings.Replace(service, ":v0.12.0", ":"+fill("-", 200_000), 1) + "m" },
	}
	for name, file := range YAML(manifestBytes / 2) {
		out["as many "+name] = func() string { return "services:\n---\n" + file() }
	}
	return out
}

// Defaults are files that a launch command names for its flags.
func Defaults() map[string]File {
	out := YAML(defaultsBytes)
	out["laughs"] = laughs
	out["merges"] = merged
	out["merged keys"] = func() string { return numberedMerges(defaultsBytes) }
	out["flags"] = func() string { return numbered("x%d: 1\n", 48_000) }
	out["values"] = func() string { return "cudagraph-capture-sizes: [" + fill("1k,", 36_000) + "]" }
	return out
}

// merged are keys that each merge two times what the one before does.
func merged() string {
	var b strings.Builder
	b.WriteString("a0: &a0 {x: 1}\n")
	for c := 'b'; c <= 'z'; c++ {
		b.WriteString(string(c) + "0: &" + string(c) + "0 {x: {<<: *" + string(c-1) + "0}, y: {<<: *" + string(c-1) + "0}}\n")
	}
	return b.String()
}

// numberedMerges merge many keys often.
func numberedMerges(bytes int) string {
	return "services: &a {" + numbered("k%d: 1,", min(bytes/2, 40_000)) + "}\nb:\n" + fill("- {<<: *a}\n", bytes/2)
}
