package web

import (
	"strings"
	"testing"
)

// The most bytes that the engine takes on its way to a browser: that of every page, and with the module that opens files.
const maxEngine, maxBoth = 3_000_000, 6_000_000

// TestTheEngineIsSmallEnough: what make build has compressed, and a browser therefore gets.
func TestTheEngineIsSmallEnough(t *testing.T) {
	size := func(name string) int {
		a := assets()["engine/"+name]
		if a == nil {
			t.Skipf("%s is not in web/engine: make build puts it there", name)
		}
		if a.forms["br"] == nil {
			t.Errorf("%s is not compressed", name)
		}
		return len(a.forms["br"])
	}
	engine, files := size("verifier.wasm"), size("verifier-files.wasm")
	t.Logf("verifier.wasm has %d bytes compressed, verifier-files.wasm %d, both %d", engine, files, engine+files)
	if engine > maxEngine {
		t.Errorf("verifier.wasm has %d bytes compressed, more than %d", engine, maxEngine)
	}
	if engine+files > maxBoth {
		t.Errorf("both have %d bytes compressed, more than %d", engine+files, maxBoth)
	}
}

// TestTheAppIsSmallEnough: what a first visit loads beside the engine.
func TestTheAppIsSmallEnough(t *testing.T) {
	total := 0
	for name, a := range assets() {
		if !strings.HasPrefix(name, "engine/") {
			total += len(a.forms["gzip"])
		}
	}
	t.Logf("%d bytes compressed, every page and the Worker", total)
	if total > 250_000 {
		t.Errorf("the app has %d bytes compressed, more than 250,000", total)
	}
}
