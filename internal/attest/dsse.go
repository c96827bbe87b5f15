package attest

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// bundleType is that of a Sigstore bundle.
const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// envelope is a DSSE envelope.
type envelope struct {
	Payload     []byte      `json:"payload"` // base64 in JSON
	PayloadType string      `json:"payloadType"`
	Signatures  []Signature `json:"signatures"`
}

// Signature is one signature. Its key id is a hint that nothing vouches for.
type Signature struct {
	KeyID string `json:"keyid"`
	Sig   []byte `json:"sig"`
}

type bundle struct {
	MediaType string       `json:"mediaType"`
	Material  verification `json:"verificationMaterial"`
	Envelope  envelope     `json:"dsseEnvelope"`
}

type verification struct {
	PublicKey publicKey `json:"publicKey"`
}

type publicKey struct {
	Hint string `json:"hint"`
}

// PAE is what is signed: the type and the bytes, each behind its length (DSSE 1.0, pre-authentication encoding).
func PAE(payloadType string, payload []byte) []byte {
	var b bytes.Buffer
	b.WriteString("DSSEv1 " + strconv.Itoa(len(payloadType)) + " " + payloadType + " " + strconv.Itoa(len(payload)) + " ")
	b.Write(payload)
	return b.Bytes()
}

// Signer signs records.
type Signer struct {
	key  crypto.Signer
	hint string
}

// ParsePrivateKey reads a key in PEM: PKCS#8, or SEC 1 for ECDSA. Ed25519 and ECDSA over P-256 are taken. No error repeats a part of it.
func ParsePrivateKey(data []byte) (*Signer, error) {
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			return nil, errors.New("holds no private key in PEM")
		}
		var key any
		var err error
		switch block.Type {
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		case "EC PARAMETERS": // openssl writes them in front of the key
			continue
		case "ENCRYPTED PRIVATE KEY", "ENCRYPTED SIGSTORE PRIVATE KEY", "ENCRYPTED COSIGN PRIVATE KEY":
			return nil, errors.New("is encrypted: give it without a passphrase, or sign the plain record with another tool")
		default:
			return nil, fmt.Errorf("holds a %s and no private key", block.Type)
		}
		if err != nil {
			return nil, errors.New("holds a private key that cannot be read")
		}
		signer, ok := key.(crypto.Signer)
		if !ok {
			return nil, errUnknownKey
		}
		if err := supported(signer.Public()); err != nil {
			return nil, err
		}
		der, err := x509.MarshalPKIXPublicKey(signer.Public())
		if err != nil {
			return nil, errUnknownKey
		}
		sum := sha256.Sum256(der)
		return &Signer{signer, base64.StdEncoding.EncodeToString(sum[:])}, nil
	}
}

var errUnknownKey = errors.New("holds a key that is neither Ed25519 nor ECDSA over P-256")

func supported(key crypto.PublicKey) error {
	switch k := key.(type) {
	case ed25519.PublicKey:
		return nil
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return nil
		}
	}
	return errUnknownKey
}

// Sign signs a record and writes the envelope, or the bundle, on one line. Both kinds of keys sign without chance (RFC 8032, RFC 6979):
// the same record and key give the same bytes.
func (s *Signer) Sign(payload []byte, form Form) ([]byte, error) {
	message, hash := PAE(PayloadType, payload), crypto.Hash(0)
	if _, ok := s.key.(*ecdsa.PrivateKey); ok {
		sum := sha256.Sum256(message)
		message, hash = sum[:], crypto.SHA256
	}
	sig, err := s.key.Sign(nil, message, hash)
	if err != nil {
		return nil, fmt.Errorf("attest: sign: %w", err)
	}
	e := envelope{payload, PayloadType, []Signature{{Sig: sig}}}
	var out any = e
	if form == Bundle {
		out = bundle{bundleType, verification{publicKey{s.hint}}, e}
	}
	data, err := json.Marshal(out)
	return append(data, '\n'), err
}

// ParsePublicKey reads the key that a record must be signed with: PKIX in PEM.
func ParsePublicKey(data []byte) (crypto.PublicKey, error) {
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("holds no public key in PEM")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, errors.New("holds a public key that cannot be read")
	}
	return key, supported(key)
}

// Verify reports whether one of the signatures was made with the key over the very bytes of the payload.
func (r *Record) Verify(key crypto.PublicKey) bool {
	message := PAE(PayloadType, r.Payload)
	sum := sha256.Sum256(message)
	for _, s := range r.Signatures {
		switch k := key.(type) {
		case ed25519.PublicKey:
			if ed25519.Verify(k, message, s.Sig) {
				return true
			}
		case *ecdsa.PublicKey:
			if ecdsa.VerifyASN1(k, sum[:], s.Sig) {
				return true
			}
		}
	}
	return false
}

// open takes the payload and the signatures out of an envelope or a bundle. Members that it does not know are ignored, as DSSE wants it.
func (r *Record) open(n *node) error {
	at := ""
	r.Form = Envelope
	if inner := n.member("dsseEnvelope"); inner != nil {
		r.Form, at = Bundle, "dsseEnvelope."
		if m := n.member("mediaType"); m == nil || !strings.HasPrefix(m.text, "application/vnd.dev.sigstore.bundle") {
			return invalid("mediaType", "must be %q", bundleType)
		}
		n = inner
	}
	kind, payload, signatures := n.member("payloadType"), n.member("payload"), n.member("signatures")
	if kind == nil || kind.text != PayloadType {
		return invalid(at+"payloadType", "must be %q", PayloadType)
	}
	var err error
	if r.Payload, err = decode64(payload, at+"payload"); err != nil {
		return err
	}
	if signatures == nil || signatures.kind != '[' || len(signatures.items) == 0 {
		return action.Errorf(graph.CodeMissing, at+"signatures", "is missing")
	}
	if len(signatures.items) > maxSignatures || r.Form == Bundle && len(signatures.items) != 1 {
		return invalid(at+"signatures", "has %d, too many", len(signatures.items))
	}
	for i, s := range signatures.items {
		sig, err := decode64(s.member("sig"), action.Item(at+"signatures", i)+".sig")
		if err != nil {
			return err
		}
		out := Signature{Sig: sig}
		if id := s.member("keyid"); id != nil {
			out.KeyID = id.text
		}
		r.Signatures = append(r.Signatures, out)
	}
	return nil
}

// maxSignatures bounds the work that a record can ask for.
const maxSignatures = 32

// decode64 reads base64 of either alphabet.
func decode64(n *node, at string) ([]byte, error) {
	if n == nil || n.kind != '"' || n.text == "" {
		return nil, action.Errorf(graph.CodeMissing, at, "is missing")
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		if data, err := e.Strict().DecodeString(n.text); err == nil {
			return data, nil
		}
	}
	return nil, invalid(at, "is not base64")
}
