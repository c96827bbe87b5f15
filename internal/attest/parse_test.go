package attest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func TestBytesThatAreNoStrictJSONAreRefused(t *testing.T) {
	good := string(golden(t))
	for name, c := range map[string]struct {
		data, code string
	}{
		"a name twice":                  {strings.Replace(good, `"subject": [`, `"_type": "x", "subject": [`, 1), graph.CodeDuplicate},
		"a name twice deep inside":      {strings.Replace(good, `"exitCode": 1`, `"exitCode": 0, "exitCode": 1`, 1), graph.CodeDuplicate},
		"a name twice by an escape":     {strings.Replace(good, `"exitCode": 1`, `"exitCode": 0, "exit\u0043ode": 1`, 1), graph.CodeDuplicate},
		"a name twice in the unknown":   {strings.Replace(good, `"exitCode": 1`, `"exitCode": 1, "x": {"a": 1, "a": 2}`, 1), graph.CodeDuplicate},
		"a byte order mark":             {"\xef\xbb\xbf" + good, graph.CodeSyntax},
		"another value behind it":       {good + "{}", graph.CodeSyntax},
		"text behind it":                {good + "x", graph.CodeSyntax},
		"bytes that are not UTF-8":      {strings.Replace(good, "Dropout", "Dro\xffpout", 1), graph.CodeSyntax},
		"half a character by an escape": {strings.Replace(good, "Dropout", `Dro\ud800pout`, 1), graph.CodeSyntax},
		"a comma too many":              {strings.Replace(good, `"exitCode": 1,`, `"exitCode": 1,,`, 1), graph.CodeSyntax},
		"an end in the middle":          {good[:len(good)/2], graph.CodeSyntax},
		"nothing":                       {"", graph.CodeSyntax},
		"a list":                        {"[]", graph.CodeType},
		"too deep":                      {strings.Repeat("[", 100) + strings.Repeat("]", 100), graph.CodeDepth},
		"a number out of range":         {strings.Replace(good, `"exitCode": 1`, `"exitCode": 1e999`, 1), graph.CodeNumber},
		"too large":                     {good + strings.Repeat(" ", MaxBytes), graph.CodeBytes},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(c.data))
			var fault *graph.Error
			if !errors.As(err, &fault) || fault.Code != c.code {
				t.Errorf("%v, want the code %s", err, c.code)
			}
		})
	}
}

func TestErrorsNameTheMember(t *testing.T) {
	doc := document(t, golden(t))
	set(t, doc, pre+"findings.3.severity", "fatal")
	_, err := Parse(encoded(t, doc))
	if want := `predicate.verifierPrecheck.findings[3].severity: is "fatal" but must be "block", "warn", "info"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

type vector struct {
	Envelope     json.RawMessage
	PAESHA256    string `json:"paeSha256"`
	PublicKeyHex string
	SeedHex      string
}

func TestTheGoldenEnvelope(t *testing.T) {
	var v vector
	data, err := os.ReadFile("testdata/dsse-vector.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	seed, _ := hex.DecodeString(v.SeedHex)
	key := ed25519.NewKeyFromSeed(seed)
	if got := hex.EncodeToString(key.Public().(ed25519.PublicKey)); got != v.PublicKeyHex {
		t.Fatalf("the key is %s", got)
	}
	payload, err := os.ReadFile("testdata/sample-record.json")
	if err != nil {
		t.Fatal(err)
	}
	if sum := sumOf(string(PAE(PayloadType, payload))); hex.EncodeToString(sum[:]) != v.PAESHA256 {
		t.Errorf("PAE has the digest %x", sum)
	}
	got, err := (&Signer{key: key}).Sign(payload, Envelope)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, v.Envelope); err != nil {
		t.Fatal(err)
	}
	if want := compact.String() + "\n"; string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	n, err := read(v.Envelope)
	if err != nil {
		t.Fatal(err)
	}
	r := &Record{}
	if err := r.open(n); err != nil || !bytes.Equal(r.Payload, payload) || !r.Verify(key.Public()) {
		t.Errorf("the golden signature is not taken: %v", err)
	}
	r.Payload = append(slices.Clone(payload), ' ')
	if r.Verify(key.Public()) {
		t.Error("a signature over other bytes is taken")
	}
}

// openssl runs it in a folder, and skips the test where it is not there.
func openssl(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("skipped: openssl is not installed")
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("openssl %v: %v %s", args, err, out)
	}
	return string(out)
}

func readFile(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, data []byte, parts ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(parts...), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// OpenSSL makes the keys, verifies what we signed, and signs what we verify.
func TestOpenSSLAgrees(t *testing.T) {
	for name, gen := range map[string][]string{
		"ed25519":    {"genpkey", "-algorithm", "ed25519", "-out", "key.pem"},
		"ecdsa":      {"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key.pem"},
		"ecdsa sec1": {"ecparam", "-name", "prime256v1", "-genkey", "-out", "key.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			openssl(t, dir, gen...)
			openssl(t, dir, "pkey", "-in", "key.pem", "-pubout", "-out", "pub.pem")
			signer, err := ParsePrivateKey(readFile(t, dir, "key.pem"))
			if err != nil {
				t.Fatal(err)
			}
			public, err := ParsePublicKey(readFile(t, dir, "pub.pem"))
			if err != nil {
				t.Fatal(err)
			}
			payload := golden(t)
			writeFile(t, PAE(PayloadType, payload), dir, "pae")
			sign := []string{"dgst", "-sha256", "-sign", "key.pem", "-out", "theirs", "pae"}
			verify := []string{"dgst", "-sha256", "-verify", "pub.pem", "-signature", "ours", "pae"}
			if name == "ed25519" {
				sign = []string{"pkeyutl", "-sign", "-inkey", "key.pem", "-rawin", "-in", "pae", "-out", "theirs"}
				verify = []string{"pkeyutl", "-verify", "-pubin", "-inkey", "pub.pem", "-rawin", "-in", "pae", "-sigfile", "ours"}
			}
			for _, form := range []Form{Envelope, Bundle} {
				data, err := signer.Sign(payload, form)
				if err != nil {
					t.Fatal(err)
				}
				again, _ := signer.Sign(payload, form)
				if !bytes.Equal(data, again) {
					t.Error("signing twice gives other bytes")
				}
				r, err := Parse(data)
				if err != nil {
					t.Fatal(err)
				}
				if r.Form != form || !bytes.Equal(r.Payload, payload) || !r.Verify(public) {
					t.Error("our own signature is not taken")
				}
				writeFile(t, r.Signatures[0].Sig, dir, "ours")
				openssl(t, dir, verify...)
			}
			openssl(t, dir, sign...)
			r := &Record{Payload: payload, Signatures: []Signature{{Sig: readFile(t, dir, "theirs")}}}
			if !r.Verify(public) {
				t.Error("the signature of OpenSSL is not taken")
			}
			r.Signatures[0].Sig[10] ^= 1
			if r.Verify(public) {
				t.Error("a spoiled signature is taken")
			}
			openssl(t, dir, "genpkey", "-algorithm", "ed25519", "-out", "other.pem")
			openssl(t, dir, "pkey", "-in", "other.pem", "-pubout", "-out", "other-pub.pem")
			other, err := ParsePublicKey(readFile(t, dir, "other-pub.pem"))
			if err != nil {
				t.Fatal(err)
			}
			r.Signatures[0].Sig[10] ^= 1
			if r.Verify(other) {
				t.Error("the signature of another key is taken")
			}
		})
	}
}

func TestKeysThatAreNotTakenAreExplained(t *testing.T) {
	dir := t.TempDir()
	openssl(t, dir, "genrsa", "-out", "rsa.pem", "2048")
	openssl(t, dir, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", "p384.pem")
	openssl(t, dir, "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:x", "-out", "locked.pem")
	openssl(t, dir, "genpkey", "-algorithm", "ed25519", "-out", "key.pem")
	openssl(t, dir, "pkey", "-in", "key.pem", "-pubout", "-out", "pub.pem")
	for file, want := range map[string]string{"rsa.pem": "neither Ed25519 nor ECDSA", "p384.pem": "neither Ed25519 nor ECDSA", "locked.pem": "is encrypted", "pub.pem": "PUBLIC KEY and no private key"} {
		if _, err := ParsePrivateKey(readFile(t, dir, file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
	for _, bad := range []string{"", "x", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
		if _, err := ParsePrivateKey([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a key", bad)
		}
		if _, err := ParsePublicKey([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a public key", bad)
		}
	}
}

func TestEnvelopesThatAreNoneAreRefused(t *testing.T) {
	good := map[string]any{"payload": base64.StdEncoding.EncodeToString(golden(t)), "payloadType": PayloadType, "signatures": []any{map[string]any{"keyid": "", "sig": "AAAA"}}}
	if _, err := Parse(encoded(t, good)); err != nil {
		t.Fatal(err)
	}
	url := base64.URLEncoding.EncodeToString(golden(t))
	for name, c := range map[string]struct {
		path string
		to   any
		ok   bool
	}{
		"another type":           {"payloadType", "application/vnd.in-toto.test-result+json", false},
		"no type":                {"payloadType", absent{}, false},
		"no signature":           {"signatures", []any{}, false},
		"signatures are no list": {"signatures", "x", false},
		"no base64":              {"payload", "###", false},
		"a payload that is none": {"payload", base64.StdEncoding.EncodeToString([]byte("{}")), false},
		"an empty signature":     {"signatures.0.sig", "", false},
		"a thousand signatures":  {"signatures", slices.Repeat([]any{map[string]any{"sig": "AAAA"}}, 1000), false},
		"the other alphabet":     {"payload", url, true},
		"unknown members":        {"more", 1, true},
	} {
		doc := document(t, encoded(t, good))
		set(t, doc, c.path, c.to)
		if _, err := Parse(encoded(t, doc)); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bundle := range []map[string]any{{"dsseEnvelope": good}, {"mediaType": "x", "dsseEnvelope": good}} {
		if _, err := Parse(encoded(t, bundle)); err == nil {
			t.Error("a bundle of another type is taken")
		}
	}
}

func TestWhatARecordCannotHoldIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Input){
		"argv":         func(in *Input) { in.Argv = append(in.Argv, "\xff") },
		"model":        func(in *Input) { in.Run.Model = "\xff" },
		"url":          func(in *Input) { in.URL = "https://\xff" },
		"url no url":   func(in *Input) { in.URL = "runs/1" },
		"url blank":    func(in *Input) { in.URL = "https://a b" },
		"time":         func(in *Input) { in.Time = "2027-01-31" },
		"time month":   func(in *Input) { in.Time = "2027-13-31T00:00:00Z" },
		"time clock":   func(in *Input) { in.Time = "2027-01-31T24:00:00Z" },
		"time no zone": func(in *Input) { in.Time = "2027-01-31T12:00:00" },
		"file":         func(in *Input) { in.Model.Files[0].Name = "\xff" },
		"ignore":       func(in *Input) { in.Model.Ignore = []string{"\xff"} },
		"version":      func(in *Input) { in.Version = "\xff" },
	} {
		in := example()
		change(in)
		if _, err := New(in); err == nil || action.Status(err) >= 500 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, ok := range []string{"2027-01-31T12:00:00Z", "2027-01-31T12:00:00.123+02:00"} {
		in := example()
		in.Time = ok
		if s, err := New(in); err != nil || s.Predicate.Precheck.Time != ok {
			t.Errorf("%s: %v", ok, err)
		}
	}
}

func TestBothOrdersOfFilesAreTaken(t *testing.T) {
	in := example()
	files := in.Model.Files
	slices.SortFunc(files, func(a, b File) int { return ByParts.Compare(a.Name, b.Name) })
	if files[1].Name != "model/w.bin" {
		t.Fatal("the example does not tell the orders apart")
	}
	for order, in := range map[Order]*Input{ByName: example(), ByParts: in} {
		s, err := New(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Check(); err != nil || got != order {
			t.Errorf("%s, %v; want %s", got, err, order)
		}
	}
}

func TestOnlyARecordMayBeReplaced(t *testing.T) {
	s, err := New(example())
	if err != nil {
		t.Fatal(err)
	}
	predicate, err := s.Predicate.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{golden(t), predicate} {
		if !IsOurs(data) {
			t.Errorf("%.60s is not taken for a record", data)
		}
	}
	for _, data := range []string{"", "{}", `{"model_type":"llama"}`, `{"verifierPrecheck":1}`, `{"verifierPrecheck":{"schema":"x"}}`} {
		if IsOurs([]byte(data)) {
			t.Errorf("%s is taken for a record", data)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(golden(f))
	f.Add(sample(f))
	f.Add([]byte(`{"payload":"e30=","payloadType":"application/vnd.in-toto+json","signatures":[{"sig":"AAAA"}]}`))
	f.Add([]byte(`{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","dsseEnvelope":{}}`))
	schema := published(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if err != nil {
			return
		}
		if _, err := r.Statement.Check(); err != nil {
			return
		}
		if err := schema.Validate(decoded(t, r.Payload)); err != nil {
			t.Errorf("taken, but another validator says %v", err)
		}
	})
}
