package junit

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

func same(file string) string { return file }

func sample() []*report.Run {
	return []*report.Run{{
		Command: "check", Model: "net.py:Net", Source: "net.py",
		Rules: []report.Rule{{Checker: "check", ID: "clean"}, {Checker: "check", ID: "gates"}, {Checker: "check", ID: "notes"}, {Checker: "check", ID: "off"}, {Checker: "check", ID: "waived"}, {Checker: "check", ID: "warns"}},
		Findings: []report.Finding{
			{Checker: "check", Rule: "gates", Severity: rules.Block, Effective: rules.Block, Gates: true, Detail: "a <b> & \"c\" ]]>\x00\n\x1b", Fix: "set x", Line: 3},
			{Checker: "check", Rule: "gates", Severity: rules.Block, Effective: rules.Block, Waived: true, Reason: "known", Detail: "second"},
			{Checker: "check", Rule: "notes", Severity: rules.Info, Effective: rules.Info, Detail: "a note"},
			{Checker: "check", Rule: "off", Severity: rules.Warn, Effective: policy.Off, Detail: "silent"},
			{Checker: "check", Rule: "waived", Severity: rules.Block, Effective: rules.Block, Waived: true, Reason: "for now", Detail: "third"},
			{Checker: "check", Rule: "warns", Severity: rules.Warn, Effective: rules.Warn, Detail: "careful"},
			{Checker: "policy", Rule: "max-params", Severity: rules.Block, Effective: rules.Block, Gates: true, Detail: "too many"},
		},
	}, {Command: "check", Model: "clean.json", Rules: []report.Rule{{Checker: "check", ID: "clean"}}}}
}

const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="verifier" tests="9" failures="2" errors="1" skipped="2">
  <testsuite name="net.py:Net (check)" tests="7" failures="2" errors="0" skipped="2">
    <testcase name="check/clean" classname="check"></testcase>
    <testcase name="check/gates" classname="check" file="net.py" line="3">
      <failure message="a &lt;b&gt; &amp; &#34;c&#34; ]]&gt;???" type="block">net.py:3: block: a &lt;b&gt; &amp; &#34;c&#34; ]]&gt;???; fix: set x</failure>
      <system-out>net.py: block: second (waived: known)</system-out>
    </testcase>
    <testcase name="check/notes" classname="check">
      <system-out>net.py: info: a note</system-out>
    </testcase>
    <testcase name="check/off" classname="check">
      <skipped message="counted as off"></skipped>
      <system-out>net.py: off: silent (counted as off)</system-out>
    </testcase>
    <testcase name="check/waived" classname="check">
      <skipped message="waived: for now"></skipped>
      <system-out>net.py: block: third (waived: for now)</system-out>
    </testcase>
    <testcase name="check/warns" classname="check">
      <system-out>net.py: warn: careful</system-out>
    </testcase>
    <testcase name="policy/max-params" classname="policy" file="net.py">
      <failure message="too many" type="block">net.py: block: too many</failure>
    </testcase>
  </testsuite>
  <testsuite name="clean.json (check)" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="check/clean" classname="check"></testcase>
  </testsuite>
  <testsuite name="gone" tests="1" failures="0" errors="1" skipped="0">
    <testcase name="read" classname="model">
      <error message="gone: no such file" type="unreadable"></error>
    </testcase>
  </testsuite>
</testsuites>
`

func TestTheDocumentIsAsWritten(t *testing.T) {
	got := string(XML(sample(), same, []report.Unread{{Model: "gone", Message: "gone: no such file"}}))
	if got != want {
		t.Errorf("got\n%s", got)
	}
	d := xml.NewDecoder(strings.NewReader(got))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
