// The figures are those of docs/truth.md and docs/accuracy.md; a test reads both and fails where one of them says something else.
const promises = [
  {
    title: 'A block is a crash',
    figure: '15,655 of 15,655',
    text: 'components, and 1,500 of 1,500 whole graphs, measured with other seeds after the rules were written: PyTorch refuses what is refused here, and runs the rest.',
    more: 'How it is held to PyTorch', href: '/docs/truth.html',
  },
  {
    title: 'A number is exact or carries its error',
    figure: '0.1 %',
    text: 'median error of the peak memory of 282 training runs that were drawn at random when the estimate was done; 4.1 % at p95, 34 % at worst. Weights and shapes are exact.',
    more: 'How far off estimates were', href: '/docs/accuracy.html',
  },
  {
    title: 'The same input gives the same bytes',
    figure: 'amd64 = arm64 = WebAssembly',
    text: 'On the command line, in CI, over HTTP and in this browser. The engine runs on your side: a model that you open here is not sent anywhere unless you share it.',
    more: 'What goes in and out', href: '/docs/wire.html',
  },
] as const;

export function Promises() {
  return (
    <section className="stack" aria-labelledby="promises">
      <h2 id="promises">Three promises, measured</h2>
      <div className="promises">
        {promises.map((p) => (
          <article key={p.title}>
            <h3>{p.title}</h3>
            <p className="promise-figure">{p.figure}</p>
            <p className="quiet">{p.text} <a href={p.href}>{p.more}</a></p>
          </article>
        ))}
      </div>
      <p className="quiet small">Everything in words: <a href="/about.html">what this is, and its API</a> · <a href="/rules.html">rules</a> · <a href="/types.html">component types</a> · <a href="/architectures.html">architectures</a> · <a href="/docs.html">notes</a></p>
    </section>
  );
}
