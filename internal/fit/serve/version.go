package serve

import (
	"strconv"
	"strings"
)

// version is a release of an engine: numbers, compared one by one. The zero value is older than every release.
type version struct {
	numbers [5]int
	pre     bool // a candidate, older than the release of that number
	text    string
}

// Limits of a version, in bytes, with what a tag has behind it and without. Messages name it in full.
const (
	mostVersionAndMore = 256
	mostVersion        = 64
)

// parseVersion reads v0.11.0, 0.5.4.post1, 1.2.0rc3 or b10586, and whatever a tag has behind it.
func parseVersion(s string) (version, bool) {
	if len(s) > mostVersionAndMore {
		return version{}, false
	}
	s = strings.ToLower(strings.TrimSpace(s))
	v := version{}
	rest := strings.TrimPrefix(s, "v")
	if b, build := strings.CutPrefix(s, "b"); build && isDigits(b) && len(b) < 9 {
		v.numbers[0], _ = strconv.Atoi(b)
		v.text = s
		return v, true
	}
	used := 0
	for i := range len(v.numbers) - 1 {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 || n > 8 {
			break
		}
		v.numbers[i], _ = strconv.Atoi(rest[:n])
		used++
		rest = rest[n:]
		if next := strings.TrimPrefix(rest, "."); next != rest && next != "" && next[0] >= '0' && next[0] <= '9' {
			rest = next
			continue
		}
		break
	}
	if used < 2 {
		return version{}, false
	}
	post := strings.TrimPrefix(strings.TrimPrefix(rest, "."), "post")
	if post != rest && strings.Contains(rest[:len(rest)-len(post)], "post") {
		n := 0
		for n < len(post) && post[n] >= '0' && post[n] <= '9' && n < 8 {
			n++
		}
		v.numbers[4], _ = strconv.Atoi(post[:n])
		rest = post[n:]
	}
	for _, mark := range []string{"rc", "a", "b", "dev", ".dev", ".rc"} {
		v.pre = v.pre || strings.HasPrefix(rest, mark)
	}
	v.text = strings.TrimPrefix(s[:len(s)-len(rest)], "v")
	if v.pre {
		end := strings.IndexAny(rest, "-+_")
		if end < 0 {
			end = len(rest)
		}
		v.text += rest[:end]
	}
	return v, len(v.text) <= mostVersion
}

// mustVersion is for versions that stand in the program.
func mustVersion(s string) version {
	v, ok := parseVersion(s)
	if !ok {
		panic("serve: " + s + " is no version")
	}
	return v
}

// before reports whether v is older than another release.
func (v version) before(w version) bool {
	for i := range v.numbers {
		if v.numbers[i] != w.numbers[i] {
			return v.numbers[i] < w.numbers[i]
		}
	}
	return v.pre && !w.pre
}

// since reports whether v is the named release or a younger one. A candidate counts as its release.
func (v version) since(s string) bool { return v.reaches(mustVersion(s)) }

func (v version) reaches(w version) bool {
	v.pre = false
	return !v.before(w)
}
