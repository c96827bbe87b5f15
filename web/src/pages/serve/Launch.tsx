import { useEffect, useMemo, useState } from 'react';
import { navigate, useRoute } from '../../app/router';
import type { Card, ServeAnswer, ServeFinding } from '../../engine/answers';
import { useCall } from '../../engine/useCall';
import type { Model } from '../../engine/types';
import { gb } from '../../ui/amounts';
import { Plot } from '../../ui/chart/Plot';
import { Button } from '../../ui/Button';
import { Field } from '../../ui/Field';
import { Figure } from '../../ui/Figure';
import { Glyph } from '../../ui/Glyph';
import { CommandText } from './CommandText';
import { Sizes } from './Sizes';
import { exact } from '../../ui/numbers';

const contexts = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];
const examples = ['vllm serve MODEL --tensor-parallel-size 3 --max-model-len 32768', 'python -m sglang.launch_server --model-path MODEL --tp-size 2', 'trtllm-serve MODEL --tp_size 2 --max_seq_len 8192'];
const nothing = {};
const verdicts = { pass: ['good', 'The engine would start'], warn: ['warn', 'It would start, with warnings'], block: ['block', 'The engine would refuse it'] } as const;

export function Launch({ model }: { model: Model }) {
  const { params } = useRoute();
  const [command, setCommand] = useState(params.get('command') ?? examples[0] ?? '');
  const [card, setCard] = useState(params.get('card') ?? 'H100');
  const [gpus, setGpus] = useState(Number(params.get('gpus')) || 8);
  const cards = useCall<{ cards: Card[] }>('view/cards', nothing).value?.cards ?? [];
  useEffect(() => {
    const timer = window.setTimeout(() => navigate('/serve', { ...(params.get('part') ? { part: params.get('part') ?? '' } : {}), command, card, gpus: String(gpus) }, 'replace'), 400);
    return () => window.clearTimeout(timer);
  }, [command, card, gpus]); // eslint-disable-line
  const ask = useMemo(() => (command.trim() ? { model, command, ...(card ? { card } : {}), gpus, context: contexts } : null), [model, command, card, gpus]);
  const { value, error } = useCall<ServeAnswer>('view/serve', ask);
  const never = value?.capacity.every((c) => c.blocks) ?? false; // for another reason than the length
  return (
    <>
      <section className="panel part">
        <CommandText command={command} findings={value?.command !== undefined ? value.findings : []} onChange={setCommand} />
        <div className="row wrap small">
          <span className="quiet">Try</span>
          {examples.map((e) => <button key={e} type="button" className="linkish" onClick={() => setCommand(e)}>{e.split(' ')[0] === 'python' ? 'SGLang' : e.startsWith('vllm') ? 'vLLM' : 'TensorRT-LLM'}</button>)}
        </div>
        <div className="row wrap ask">
          <Field label="Card">{(c) => <select className="input" {...c} value={card} onChange={(e) => setCard(e.target.value)}><option value="">none: memory is not judged</option>{cards.map((x) => <option key={x.id} value={x.id}>{x.name}</option>)}</select>}</Field>
          <Field label="Cards in the machine">{(c) => <input type="number" className="input" {...c} min={1} max={1024} value={gpus} onChange={(e) => setGpus(Math.max(1, Math.round(Number(e.target.value)) || 1))} />}</Field>
        </div>
        {error && <p className="notice block" role="alert">{error.message}</p>}
        {value && <Answer value={value} onMend={setCommand} />}
      </section>
      {value && value.capacity.length > 0 && (
        <section className="panel part">
          <h2 id="capacity">How many sequences at once</h2>
          <p>With each length of context the command was judged again, on {value.gpu}. What is left beside the weights is divided by the cache of one sequence.</p>
          <Plot label="Concurrent sequences over the length of context" x={value.capacity.map((c) => c.context)} xScale="powers" xName="tokens of context" xText={(n) => `${exact(n)} tokens`} xTicks={(n) => `${n / 1024}k`} yName="sequences at once" yText={(n) => exact(n)} series={[{ name: 'sequences', colour: '--c1', values: value.capacity.map((c) => (c.blocks && !never ? null : c.concurrent)) }]} extra={(i) => (value.capacity[i]?.blocks && !never ? <div className="tone-block">the engine refuses this length</div> : null)} />
          {never && <p className="quiet small">As it stands the command is refused at every length; the points are what would be left for sequences.</p>}
          {!never && value.capacity.some((c) => c.blocks) && <p className="quiet small">Lengths that the engine refuses have no point: {value.capacity.filter((c) => c.blocks).map((c) => exact(c.context)).join(', ')} tokens.</p>}
        </section>
      )}
      {value && value.splits.length > 0 && <section className="panel part"><h2 id="sizes">Tensor-parallel sizes</h2><Sizes splits={value.splits} /></section>}
    </>
  );
}

// Mends are the changes that do away with a finding, as buttons that make them in the command. One that the text has no place for, such
// as an option of the container around it, stays in words.
function Mends({ finding, onMend }: { finding: ServeFinding; onMend: (command: string) => void }) {
  const { fix, mends } = finding;
  if (mends.length === 0) return fix ? <div className="quiet">Fix: {fix}</div> : null;
  return <div className="row wrap">{mends.map((m) => <Button key={m.command} small look="fix" onClick={() => onMend(m.command)}>{m.words.charAt(0).toUpperCase() + m.words.slice(1)}</Button>)}</div>;
}

function Answer({ value, onMend }: { value: ServeAnswer; onMend: (command: string) => void }) {
  const [tone, text] = verdicts[value.verdict];
  const m = value.memory;
  const note = ['Of the fullest card. Weights are counted; activations and overhead are estimates of what the engine measures at start-up.'];
  return (
    <div className="stack" aria-live="polite">
      <div className="row wrap"><span className={`verdict large ${tone}`}><Glyph name={tone} />{value.engine ? text : 'No engine was recognised'}</span>{value.engine && <span className="quiet">{value.engine} {value.engineVersion}{value.engineVersionAssumed ? ', assumed' : ''}</span>}</div>
      <ul className="findings">
        {value.findings.map((f, i) => (
          <li key={i} className="finding">
            <span className={`tone-${f.severity}`}><Glyph name={f.severity} /></span>
            <div className="body"><div className="message"><b className={`tone-${f.severity}`}>{i + 1}. {f.title}.</b> {f.detail}</div><Mends finding={f} onMend={onMend} /><div className="where mono">{f.rule}</div></div>
          </li>
        ))}
      </ul>
      {value.open.length > 0 && <p className="quiet small">Not judged: {value.open.join('; ')}.</p>}
      {m && (
        <dl className="figures">
          <div><dt>Weights</dt><dd><Figure value={gb(m.weightsGb)} assumes={note} /></dd></div>
          <div><dt>Left for the cache</dt><dd><Figure value={gb(m.kvGb)} assumes={note} /></dd></div>
          <div><dt>Activations, overhead</dt><dd><Figure value={gb(m.activationsGb + m.overheadGb)} exact={`${gb(m.activationsGb)} and ${gb(m.overheadGb)}`} assumes={note} /></dd></div>
          <div><dt>The engine may use</dt><dd><Figure value={gb(m.capacityGb)} exact={`of one ${value.gpu}`} /></dd></div>
          <div><dt>Sequences at once</dt><dd><Figure value={value.maxConcurrentSequences === null ? null : exact(value.maxConcurrentSequences)} exact="of full length; shorter ones are more" why="the length or the cache is not known" assumes={note} /></dd></div>
        </dl>
      )}
    </div>
  );
}
