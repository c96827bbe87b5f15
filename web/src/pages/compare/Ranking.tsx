import { useMemo } from 'react';
import type { RankAnswer } from '../../engine/answers';
import { dollars, duration, memory } from '../../ui/amounts';
import { Figure } from '../../ui/Figure';
import { Glyph } from '../../ui/Glyph';
import { exact, flops, short } from '../../ui/numbers';
import { Table, type Column } from '../../ui/Table';

type Row = RankAnswer['ranked'][number];

// Ranking is the answer of rank: the order where one was measured, ties where none was, and what each costs.
export function Ranking({ answer }: { answer: RankAnswer }) {
  const columns = useMemo<Column<Row>[]>(() => [
    { key: 'rank', title: 'Rank', cell: (r) => <>{r.rank}{r.tiedWith > 0 && <span className="quiet"> tied, {r.tiedWith}</span>}</>, sort: (r) => r.rank },
    { key: 'id', title: 'Model', cell: (r) => <b>{r.id}</b>, sort: (r) => r.id },
    { key: 'runs', title: 'Runs', cell: (r) => (r.tier === 'legal' ? <span className="tone-good"><Glyph name="good" /> runs{r.warnings > 0 ? `, ${r.warnings} warnings` : ''}</span> : <span className="tone-block"><Glyph name="block" /> {r.blocking} errors</span>) },
    { key: 'params', title: 'Weights', right: true, cell: (r) => <Figure value={`${r.paramsWithheld.length > 0 ? 'at least ' : ''}${short(r.params, 'weights')}`} exact={exact(r.params)} />, sort: (r) => r.params },
    { key: 'flops', title: 'Forward', right: true, cell: (r) => <Figure value={r.flops === null ? null : flops(r.flops)} exact={r.flops === null ? undefined : `${exact(r.flops)} for one sample`} why="not every component is counted" />, sort: (r) => r.flops },
    { key: 'memory', title: 'Training memory', right: true, cell: (r) => <Figure value={r.trainFootprintBytes === null ? null : memory(r.trainFootprintBytes)} exact={r.trainFootprintBytes === null ? undefined : `the default run; the cheapest card that holds it: ${r.fitsGpu}`} why="components are not known" />, sort: (r) => r.trainFootprintBytes },
    { key: 'time', title: 'Time', right: true, cell: (r) => <Figure value={r.estTrainSec === null ? null : duration(r.estTrainSec)} error={r.range ? `From ${duration(r.range.lowSec)} to ${duration(r.range.highSec)}` : undefined} exact={`on ${r.gpu}`} why="no price" />, sort: (r) => r.estTrainSec },
    { key: 'cost', title: 'Cost', right: true, cell: (r) => <Figure value={r.estCostUsd === null ? null : dollars(r.estCostUsd)} error={r.range ? `From ${dollars(r.range.lowUsd)} to ${dollars(r.range.highUsd)}` : undefined} exact={`on ${r.gpu}`} why="no price" />, sort: (r) => r.estCostUsd },
    { key: 'why', title: 'Reasons', cell: (r) => <ul className="reasons">{r.reasons.map((w) => <li key={w}>{w}</li>)}</ul> },
  ], []);
  return (
    <>
      <p>{answer.recommendation}{answer.tieBreak ? ` ${answer.tieBreak.note}` : ''}</p>
      <Table label="Models, ranked" columns={columns} rows={answer.ranked} id={(r) => r.id} />
    </>
  );
}
