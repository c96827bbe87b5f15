// Package junit writes reports as the JUnit XML that continuous-integration services read: a suite for each model, a case for each
// rule that could have fired.
//
// There is no schema that all services share; these are the elements and attributes that all of them know. It must not know files
// or the clock: no case has a time.
package junit

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Name    string `xml:"name,attr"`
	Class   string `xml:"classname,attr"`
	File    string `xml:"file,attr,omitempty"`
	Line    int    `xml:"line,attr,omitempty"`
	Failure *fault `xml:"failure"`
	Error   *fault `xml:"error"`
	Skipped *fault `xml:"skipped"`
	Out     string `xml:"system-out,omitempty"`
}

type fault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// XML writes one document of the reports of a command.
func XML(runs []*report.Run, paths report.Paths, unread []report.Unread) []byte {
	all := suites{Name: "verifier"}
	for _, r := range runs {
		all.Suites = append(all.Suites, ofRun(r, paths))
	}
	for _, u := range unread {
		text := report.Plain(u.Message)
		all.Suites = append(all.Suites, suite{Name: report.Plain(u.Model), Tests: 1, Errors: 1, Cases: []testcase{{Name: "read", Class: "model", Error: &fault{Message: text, Type: "unreadable"}}}})
	}
	for _, s := range all.Suites {
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		panic("junit: " + err.Error()) // strings and numbers of our own
	}
	return []byte(xml.Header + string(text) + "\n")
}

func ofRun(r *report.Run, paths report.Paths) suite {
	s := suite{Name: report.Plain(r.Model)}
	if r.Command != "" {
		s.Name += " (" + r.Command + ")"
	}
	found := map[string][]*report.Finding{}
	for i := range r.Findings {
		f := &r.Findings[i]
		found[f.Test()] = append(found[f.Test()], f)
	}
	add := func(checker, name, withheld string) {
		c := ofRule(r, paths, checker, name, found[name])
		if len(found[name]) == 0 && withheld != "" {
			c.Skipped = &fault{Message: "not judged: " + report.Plain(withheld)}
		}
		delete(found, name)
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Skipped != nil:
			s.Skipped++
		}
		s.Cases = append(s.Cases, c)
	}
	for _, rule := range r.Rules {
		add(rule.Checker, rule.Checker+"/"+rule.ID, rule.Withheld)
	}
	for i := range r.Findings { // of rules that are not listed
		if f := &r.Findings[i]; found[f.Test()] != nil {
			add(f.Checker, f.Test(), "")
		}
	}
	s.Tests = len(s.Cases)
	return s
}

// ofRule is failed where a finding of the rule makes the command fail, else skipped where one would have and does not. (One that did
// not run is skipped too.) What else
// it found is its output.
func ofRule(r *report.Run, paths report.Paths, checker, name string, found []*report.Finding) testcase {
	c := testcase{Name: name, Class: checker}
	var failed, rest []string
	skipped := ""
	for _, f := range found {
		text := words(r, paths, f)
		why := f.Softened()
		switch {
		case f.Gates:
			failed = append(failed, text)
			if c.Failure == nil {
				c.Failure = &fault{Message: report.Plain(f.Detail), Type: string(f.Effective)}
				c.File, c.Line = paths(r.Where(f)), f.Line
			}
		default:
			if why != "" {
				text += " (" + why + ")"
			}
			rest = append(rest, text)
			if skipped == "" && f.Severity != rules.Info {
				skipped = why
			}
		}
	}
	if c.Failure != nil {
		c.Failure.Text = strings.Join(failed, "\n")
	} else if skipped != "" {
		c.Skipped = &fault{Message: skipped}
	}
	c.Out = strings.Join(rest, "\n")
	return c
}

func words(r *report.Run, paths report.Paths, f *report.Finding) string {
	where := report.Plain(paths(r.Where(f)))
	if f.Line > 0 {
		where += fmt.Sprintf(":%d", f.Line)
	}
	text := fmt.Sprintf("%s: %s: %s", where, f.Effective, report.Plain(f.Detail))
	if f.Fix != "" {
		text += "; fix: " + report.Plain(f.Fix)
	}
	return text
}
