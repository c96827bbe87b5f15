package serve

import (
	"errors"
	"fmt"
	"strings"
)

// CommandIn returns the launch command in a text: the text itself, or that of a container in a Docker Compose file or a
// Kubernetes manifest, as a docker command.
func CommandIn(text string) (string, error) {
	if !strings.Contains(text, "services:") && !strings.Contains(text, "containers:") {
		return text, nil
	}
	if len(text) > maxFileBytes*4 {
		return "", fmt.Errorf("has %d bytes; at most %d of a manifest are read", len(text), maxFileBytes*4)
	}
	var found []string
	size := newYAMLSize()
	for _, doc := range strings.Split("\n"+text, "\n---") {
		top, err := manifest(doc, size)
		if err != nil {
			return "", err
		}
		found = append(found, boxes(top, 0)...)
	}
	var launches []string
	for _, f := range found {
		if c, err := read(f, ""); err == nil && c != nil {
			launches = append(launches, f)
		}
	}
	switch len(launches) {
	case 0:
		return "", errors.New("no container in it launches a known engine")
	case 1:
		return launches[0], nil
	}
	return "", fmt.Errorf("%d containers in it launch an engine; give one of them", len(launches))
}

func manifest(doc string, size *yamlSize) (config, error) {
	if strings.TrimSpace(doc) == "" {
		return nil, nil
	}
	v, err := size.decode(doc)
	if err != nil {
		return nil, err
	}
	return decodeConfig(scalar(v)), nil
}

// boxes finds the containers of a document: services of Compose, containers of Kubernetes at any depth.
func boxes(c config, level int) []string {
	if level > 16 {
		return nil
	}
	var out []string
	for _, k := range c.keys() {
		switch v := c[k].(type) {
		case map[string]any:
			if k == "services" {
				for _, name := range config(v).keys() {
					if s := config(v).object(name); s != nil {
						out = append(out, boxed(s, s["entrypoint"], s["command"], s["environment"]))
					}
				}
				continue
			}
			out = append(out, boxes(v, level+1)...)
		case []any:
			for _, x := range v {
				o, ok := x.(map[string]any)
				if !ok {
					continue
				}
				if k == "containers" {
					out = append(out, boxed(o, o["command"], o["args"], o["env"]))
				} else {
					out = append(out, boxes(o, level+1)...)
				}
			}
		}
	}
	return out
}

// boxed writes a container as a docker command.
func boxed(c config, entry, args, env any) string {
	words := []string{"docker", "run", "--ipc=host"}
	if gpus := gpuLimit(c); gpus != "" {
		words = append(words, "--gpus", gpus)
	} else {
		words = append(words, "--gpus", "all")
	}
	for _, e := range environment(env) {
		words = append(words, "-e", e)
	}
	command := append(list(entry), list(args)...)
	if e := list(entry); len(e) > 0 {
		words = append(words, "--entrypoint", e[0])
		command = append(e[1:], list(args)...)
	}
	words = append(words, c.str("image"))
	return Quote(append(words, command...))
}

// list is a list of words; Compose also takes one text, which a shell's rules split.
func list(v any) []string {
	switch v := v.(type) {
	case string:
		commands, err := split(v)
		if err != nil {
			return []string{v}
		}
		var out []string
		for _, c := range commands {
			for _, w := range c.words {
				out = append(out, w.text)
			}
		}
		return out
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, strings.TrimSpace(scalar(x)))
		}
		return out
	}
	return nil
}

// environment is KEY=value from a list, an object, or Kubernetes' names and values.
func environment(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for _, k := range config(v).keys() {
			out = append(out, k+"="+scalar(v[k]))
		}
	case []any:
		for _, x := range v {
			switch x := x.(type) {
			case string:
				out = append(out, x)
			case map[string]any:
				if config(x).has("value") {
					out = append(out, config(x).str("name")+"="+scalar(x["value"]))
				}
			}
		}
	}
	return out
}

// gpuLimit is how many cards a manifest gives to a container.
func gpuLimit(c config) string {
	for _, k := range []string{"limits", "requests"} {
		if v, ok := c.object("resources").object(k)["nvidia.com/gpu"]; ok {
			return scalar(v)
		}
	}
	devices, _ := c.object("deploy").object("resources").object("reservations")["devices"].([]any)
	for _, d := range devices {
		if o, ok := d.(map[string]any); ok {
			if n, ok := o["count"]; ok {
				return scalar(n)
			}
			if ids, ok := o["device_ids"].([]any); ok {
				return "device=" + strings.Join(list(ids), ",")
			}
		}
	}
	return ""
}
