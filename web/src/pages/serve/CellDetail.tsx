import type { GridAnswer, GridCell } from '../../engine/answers';
import { gb, percent } from '../../ui/amounts';
import { Figure } from '../../ui/Figure';
import { Glyph } from '../../ui/Glyph';
import { Table } from '../../ui/Table';
import { state } from './GridTable';
import { exact } from '../../ui/numbers';

// CellDetail is one split: what stands in its way, and what each stage holds.
export function CellDetail({ cell, grid }: { cell: GridCell; grid: GridAnswer }) {
  const s = state(cell);
  const rests = [`${grid.seqLen ? `${exact(grid.seqLen)} tokens a sample, ` : ''}from the components' own weights and saved tensors: an estimate, no split was measured.`];
  return (
    <>
      <h2>tp {cell.tp} × pp {cell.pp} × dp {cell.dp}: <span className={`tone-${s.tone}`}>{s.word}</span></h2>
      <dl className="figures">
        <div><dt>Fullest stage</dt><dd><Figure value={cell.peakGb === null ? null : gb(cell.peakGb)} assumes={rests} why="the split cannot be made" exact={grid.gpu ? `${grid.gpu} has ${gb(grid.bytes / 1e9)}` : undefined} /></dd></div>
        <div><dt>Bubble</dt><dd><Figure value={cell.bubble === null ? null : percent(cell.bubble)} exact="share of a step in which a stage waits" why="there is no micro-batch" /></dd></div>
      </dl>
      {cell.findings.length > 0 && (
        <ul>{cell.findings.map((f, i) => (
          <li key={i} className="finding"><span className={`tone-${f.severity}`}><Glyph name={f.severity} /></span>
            <div className="body"><div className="message"><b className={`tone-${f.severity}`}>{f.title}.</b> {f.detail}</div>{f.fix && <div className="quiet">Fix: {f.fix}</div>}<div className="where mono">{f.rule}</div></div></li>
        ))}</ul>
      )}
      {cell.stages.length > 0 && (
        <Table label="Stages" rows={cell.stages} id={(x) => String(x.index)} height={cell.stages.length > 10 ? '20rem' : (undefined as never)} columns={[
          { key: 'i', title: 'Stage', right: true, cell: (x) => x.index }, { key: 'l', title: 'Layers', right: true, cell: (x) => x.layers }, { key: 'w', title: 'Weights', right: true, cell: (x) => gb(x.weightsGb) },
          { key: 'g', title: 'Gradients', right: true, cell: (x) => gb(x.gradsGb) }, { key: 'o', title: 'Optimizer', right: true, cell: (x) => gb(x.optimizerGb) }, { key: 'a', title: 'Activations', right: true, cell: (x) => gb(x.activationsGb) },
          { key: 'p', title: 'Peak', right: true, cell: (x) => gb(x.peakGb), sort: (x) => x.peakGb }, { key: 'f', title: 'Fits', cell: (x) => (x.fits === null ? 'not judged' : x.fits ? 'yes' : 'no') }]} />
      )}
    </>
  );
}
