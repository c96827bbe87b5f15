package web

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/nodetest"
)

// The most bytes that the engine takes on its way to a browser: that of every page, and with the module that opens files.
const maxEngine, maxBoth = 3_000_000, 6_000_000

// compress prints how many bytes a file has after brotli at the quality at which make build compresses it.
const compress = `const { brotliCompressSync, constants: c } = require('node:zlib');
const data = require('node:fs').readFileSync(process.argv[1]);
console.log(brotliCompressSync(data, { params: { [c.BROTLI_PARAM_QUALITY]: 10, [c.BROTLI_PARAM_SIZE_HINT]: data.length } }).length);`

func TestTheEngineIsSmallEnough(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: it builds both modules and compresses them")
	}
	node := nodetest.Node(t)
	dir := t.TempDir()
	if out, err := exec.Command("../tools/wasm.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	size := func(name string) (n int) {
		out, err := exec.Command(node, "-e", compress, filepath.Join(dir, name)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &n); err != nil {
			t.Fatal(err)
		}
		return n
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
