package sarif

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The official schema lies in the test data of a module: it is read from there and not committed.
const (
	schemaModule = "github.com/securego/gosec/v2@v2.29.0"
	schemaPath   = "report/sarif/testdata/sarif-schema-2.1.0.json"
	schemaSHA256 = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
)

func officialSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", schemaModule)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var module struct{ Dir string }
	if json.Unmarshal(out, &module); err != nil || module.Dir == "" {
		t.Skipf("the official schema cannot be had here: go mod download %s: %v %s; only our own restatement was checked", schemaModule, err, out)
	}
	data, err := os.ReadFile(filepath.Join(module.Dir, filepath.FromSlash(schemaPath)))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != schemaSHA256 {
		t.Fatalf("the schema is another one: %x", sum)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(schema, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheOfficialSchemaHolds(t *testing.T) {
	s := officialSchema(t)
	valid := func(log []byte) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(doc)
	}
	log := sampleLog(sample())
	if err := valid(log); err != nil {
		t.Error(err)
	}
	if err := valid(Log(nil, Options{Paths: same})); err != nil {
		t.Errorf("an empty log: %v", err)
	}
	// What the schema must not take, so that holding it means something.
	for _, broken := range []string{`"level": "bad"`, `"level": 3`, `"levels": "error"`} {
		if valid([]byte(strings.Replace(string(log), `"level": "error"`, broken, 1))) == nil {
			t.Errorf("the schema takes %s", broken)
		}
	}
}
