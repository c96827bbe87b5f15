import { useMemo, useState } from 'react';
import type { Card, GridAnswer, GridCell } from '../../engine/answers';
import { useCall } from '../../engine/useCall';
import type { Model } from '../../engine/types';
import { duration, gb, percent } from '../../ui/amounts';
import { Field } from '../../ui/Field';
import { Segments } from '../../ui/Segments';
import { Table } from '../../ui/Table';
import { CellDetail } from './CellDetail';
import { GridTable, type Shade } from './GridTable';
import { exact } from '../../ui/numbers';

const nothing = {};
const frameworks = [['megatron', 'Megatron-LM'], ['torchtitan', 'torchtitan'], ['deepspeed', 'DeepSpeed']] as const;
const shades = [{ value: 'verdict', text: 'Verdict' }, { value: 'memory', text: 'Memory' }, { value: 'bubble', text: 'Bubble' }] as const;

// Split is every way to train over so many cards by tensor, pipeline and data parallelism.
export function Split({ model }: { model: Model }) {
  const [gpus, setGpus] = useState(8);
  const [card, setCard] = useState('H100');
  const [framework, setFramework] = useState('megatron');
  const [batch, setBatch] = useState(0);
  const [full, setFull] = useState(false);
  const [shade, setShade] = useState<Shade>('verdict');
  const [picked, setPicked] = useState<string>('');
  const cards = useCall<{ cards: Card[] }>('view/cards', nothing).value?.cards ?? [];
  const ask = useMemo(() => ({ model, gpus, framework, ...(card ? { card } : {}), ...(batch ? { global_batch: batch } : {}), recompute: full ? 'full' : 'none' }), [model, gpus, framework, card, batch, full]);
  const { value, error } = useCall<GridAnswer>('view/grid', ask);
  const cell: GridCell | undefined = value?.cells.find((c) => `${c.tp}/${c.pp}` === picked) ?? value?.cells.find((c) => c.legal && c.fits !== false) ?? value?.cells[0];
  return (
    <>
      <section className="panel part">
        <div className="row wrap ask">
          <Field label="Cards">{(c) => <input type="number" className="input" {...c} min={1} max={4096} value={gpus} onChange={(e) => setGpus(Math.min(4096, Math.max(1, Math.round(Number(e.target.value)) || 1)))} />}</Field>
          <Field label="Card">{(c) => <select className="input" {...c} value={card} onChange={(e) => setCard(e.target.value)}><option value="">none: memory is not judged</option>{cards.map((x) => <option key={x.id} value={x.id}>{x.name}</option>)}</select>}</Field>
          <Field label="Framework">{(c) => <select className="input" {...c} value={framework} onChange={(e) => setFramework(e.target.value)}>{frameworks.map(([v, t]) => <option key={v} value={v}>{t}</option>)}</select>}</Field>
          <Field label="Global batch">{(c) => <input type="number" className="input" {...c} min={1} placeholder="one sample a rank" value={batch || ''} onChange={(e) => setBatch(Math.max(0, Math.round(Number(e.target.value)) || 0))} />}</Field>
          <label className="toggle"><input type="checkbox" role="switch" checked={full} onChange={(e) => setFull(e.target.checked)} /><span><b>Recompute activations</b></span></label>
        </div>
        {error && <p className="notice block" role="alert">{error.message}</p>}
        {value && (
          <>
            <div className="row wrap"><h2 className="grow">Tensor by pipeline parallelism; the rest is data parallel</h2><Segments label="What the cells show" options={shades} value={shade} onChange={setShade} /></div>
            <GridTable grid={value} shade={shade} picked={cell ? `${cell.tp}/${cell.pp}` : ''} onPick={setPicked} />
            {value.withheld.length > 0 && <p className="notice warn">The figures lack {value.withheld.length} components: they are lower bounds.</p>}
          </>
        )}
      </section>
      {value && cell && <section className="panel part"><CellDetail cell={cell} grid={value} /></section>}
      {value?.best && value.best.layouts.length > 0 && (
        <section className="panel part">
          <h2 id="best">The fastest that fit</h2>
          <p className="quiet small">{exact(value.best.considered)} layouts that {value.framework} takes were looked at. {value.best.basis.charAt(0).toUpperCase() + value.best.basis.slice(1)}.</p>
          <Table label="The fastest layouts" rows={value.best.layouts} id={(l) => JSON.stringify(l)} columns={[
            { key: 'l', title: 'tp × pp × dp', cell: (l) => `${l.tp} × ${l.pp} × ${l.dp}${l.cp > 1 ? `, cp ${l.cp}` : ''}${l.ep > 1 ? `, ep ${l.ep}` : ''}` }, { key: 'z', title: 'ZeRO', right: true, cell: (l) => l.zero },
            { key: 'm', title: 'Micro-batch', right: true, cell: (l) => l.microBatch }, { key: 'r', title: 'Recompute', cell: (l) => l.recompute }, { key: 'p', title: 'Fullest stage', right: true, cell: (l) => gb(l.peakGb), sort: (l) => l.peakGb },
            { key: 'b', title: 'Bubble', right: true, cell: (l) => percent(l.bubble), sort: (l) => l.bubble }, { key: 's', title: 'A step, about', right: true, cell: (l) => duration(l.stepSec), sort: (l) => l.stepSec }]} />
        </section>
      )}
    </>
  );
}
