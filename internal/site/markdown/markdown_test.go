package markdown

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/docs"
)

func same(target string) string { return target }

func TestBlocksAndSpans(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"heading", "# One `two`", `<h1 id="one-two">One <code>two</code></h1>`},
		{"headings alike", "## A\n## A", `<h2 id="a">A</h2>` + "\n" + `<h2 id="a-2">A</h2>`},
		{"headings alike and numbered", "# A\n# A 2\n# A\n# A", `<h1 id="a">A</h1>` + "\n" + `<h1 id="a-2">A 2</h1>` + "\n" + `<h1 id="a-3">A</h1>` + "\n" + `<h1 id="a-4">A</h1>`},
		{"no heading", "#One", "<p>#One</p>"},
		{"paragraph", "one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>"},
		{"list", "- one\n  more\n- two\n\nafter", "<ul>\n<li>one\nmore</li>\n<li>two</li>\n</ul>\n<p>after</p>"},
		{"ordered list", "1. one\n2. two", "<ol>\n<li>one</li>\n<li>two</li>\n</ol>"},
		{"fenced code", "```yaml\na: <b>\n```\nx", `<pre tabindex="0"><code>a: &lt;b&gt;</code></pre>` + "\n<p>x</p>"},
		{"indented code", "    $ a\n\n    b\n\nx", `<pre tabindex="0"><code>$ a` + "\n\n" + `b</code></pre>` + "\n<p>x</p>"},
		{"emphasis", "**a** *b* 2 * 3 * 4 a**b", "<p><strong>a</strong> <em>b</em> 2 * 3 * 4 a**b</p>"},
		{"code keeps its marks", "`a*b*` and ``c`d``", "<p><code>a*b*</code> and <code>c`d</code></p>"},
		{"link", "[a `b`](c.md#d)", `<p><a href="c.md#d">a <code>b</code></a></p>`},
		{"no link", "[a] (b) [](c) [d](e f)", "<p>[a] (b) [](c) [d](e f)</p>"},
		{"comment", "a\n<!-- b\nc -->\nd", "<p>a</p>\n<p>d</p>"},
		{"raw HTML is text", `<script>x</script> & "y"`, "<p>&lt;script&gt;x&lt;/script&gt; &amp; &#34;y&#34;</p>"},
		{"table", "## T\n| | b |\n|---|:-:|\n| c \\| `d|e` | **f** |\n| g |", "<h2 id=\"t\">T</h2>\n" + `<div class="wide" role="region" tabindex="0" aria-label="Table: T"><table>` + "\n" +
			`<thead><tr><td></td><th scope="col">b</th></tr></thead>` + "\n<tbody>\n" +
			`<tr><th scope="row">c | <code>d|e</code></th><td><strong>f</strong></td></tr>` + "\n" + `<tr><th scope="row">g</th><td></td></tr>` + "\n</tbody>\n</table></div>"},
	} {
		if got := strings.TrimSpace(HTML(c.in, same)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestLinksWithoutAnAddressAreText(t *testing.T) {
	if got := HTML("[a](b)", func(string) string { return "" }); got != "<p>a</p>\n" {
		t.Error(got)
	}
}

// check reads what was written strictly as XML, and returns its elements.
func check(t *testing.T, text string) map[string]int {
	d := xml.NewDecoder(strings.NewReader("<x>" + text + "</x>"))
	count := map[string]int{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return count
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
		}
	}
}

// TestOurNotesLeaveNothingUnread holds that the notes are written in what the renderer reads.
func TestOurNotesLeaveNothingUnread(t *testing.T) {
	for _, name := range docs.Names() {
		text, _ := docs.Read(name)
		out := HTML(text, same)
		count := check(t, out)
		if count["h1"] != 1 || count["p"] == 0 {
			t.Errorf("%s: %v", name, count)
		}
		for _, left := range []string{"**", "](", "<p>|", "<p>#", "&lt;!--", "<p>- "} {
			for l := range strings.SplitSeq(out, "\n") {
				if strings.Contains(l, left) && !strings.Contains(l, "<code>") {
					t.Errorf("%s: %q is left in %s", name, left, l)
				}
			}
		}
	}
	if _, ok := docs.Read("nothing"); ok {
		t.Error("a note that is not there was read")
	}
}

// BenchmarkRepeated shows that no mark makes a note of 20,000 bytes slow.
func BenchmarkRepeated(b *testing.B) {
	for _, mark := range []string{"[", "*", "**a", "`", "``` ", "|`", "# a\n", "- ", "[a](", "*a `b ", "|a|\n|-|\n"} {
		text := strings.Repeat(mark, 20000/len(mark))
		b.Run(strings.TrimSpace(mark), func(b *testing.B) {
			for b.Loop() {
				HTML(text, same)
			}
		})
	}
}

func FuzzHTML(f *testing.F) {
	for _, name := range docs.Names() {
		text, _ := docs.Read(name)
		f.Add(text)
	}
	f.Add("# a\n- *b* [c](d)\n|e|\n|-|\n|`f|\n```\n<!--")
	allowed := " x h1 h2 h3 h4 h5 h6 p ul ol li pre code strong em a div table thead tbody tr th td "
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 20000 {
			return
		}
		for name := range check(t, HTML(text, same)) {
			if !strings.Contains(allowed, " "+name+" ") {
				t.Errorf("wrote <%s>", name)
			}
		}
	})
}
