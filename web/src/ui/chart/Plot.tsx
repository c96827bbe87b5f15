import { useId, useMemo, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { Table } from '../Table';
import { linear, octaves, powers, span, type Scale } from './scale';
import { useWidth } from './useWidth';
import './chart.css';

export interface Series {
  name: string;
  colour: string; // a token such as --c1
  values: readonly (number | null)[]; // one for each x; null is not known
  dashed?: boolean;
}

export interface Line {
  at: number;
  name: string;
}

interface Props {
  label: string; // what the chart shows, for those who do not see it
  x: readonly number[];
  xName: string;
  xText: (x: number) => string;
  xScale?: 'powers' | 'span';
  xTicks?: (x: number) => string | null; // null: no text at this tick
  yName: string;
  yText: (y: number) => string;
  bytes?: boolean; // round numbers of the y axis are those of bytes
  yPowers?: boolean; // the y axis counts in powers, for figures of very different sizes
  series: readonly Series[];
  stacked?: boolean;
  lines?: readonly Line[]; // levels, such as what a card holds
  bands?: readonly { from: number; to: number; name: string }[]; // parts of the x axis, in numbers of its values
  mark?: { x: number; name: string };
  height?: number;
  extra?: (at: number) => ReactNode; // more about the point under the cursor
  onPick?: (at: number) => void;
}

const left = 62;
const right = 12;
const bottom = 34;
const top = 18;

// Plot draws lines, or areas on top of each other, over one axis. The cursor follows the pointer and the arrow keys; the same figures
// stand in a table under it.
export function Plot(props: Props) {
  const { label, x, series, height = 240, xScale = 'span', stacked = false, lines = [] } = props;
  const [box, width] = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const id = useId();
  const sums = useMemo(() => (stacked ? stack(series, x.length) : series.map((s) => s.values)), [series, stacked, x.length]);
  const highest = Math.max(1e-9, ...sums.flatMap((s) => s.map((v) => v ?? 0)), ...lines.map((l) => l.at));
  const xs: Scale = xScale === 'powers' ? powers(x, [left, width - right]) : span(x[0] ?? 0, x.at(-1) ?? 1, [left, width - right], Math.floor(width / 90));
  const least = Math.min(...sums.flatMap((s) => s.filter((v) => v !== null && v > 0) as number[]), ...lines.map((l) => l.at), highest);
  const ys = props.yPowers ? octaves(least, highest, [height - bottom, top]) : linear(highest, [height - bottom, top], 4, props.bytes ? 1024 : 10);
  const nearest = (pixel: number) => x.reduce((best, v, i) => (Math.abs(xs(v) - pixel) < Math.abs(xs(x[best] ?? 0) - pixel) ? i : best), 0);
  const onMove = (e: PointerEvent<SVGSVGElement>) => setAt(nearest(e.clientX - e.currentTarget.getBoundingClientRect().left));
  const onKey = (e: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[e.key];
    if (step) setAt(Math.min(x.length - 1, Math.max(0, (at ?? (step > 0 ? -1 : x.length)) + step)));
    else if (e.key === 'Home') setAt(0);
    else if (e.key === 'End') setAt(x.length - 1);
    else if (e.key === 'Escape') setAt(null);
    else if (e.key === 'Enter' && at !== null) props.onPick?.(at);
    else return;
    e.preventDefault();
  };
  return (
    <figure className="plot" ref={box as never}>
      <svg width={width} height={height} tabIndex={0} role="group" aria-roledescription="chart" aria-label={`${label}. Arrow keys move along it.`} aria-describedby={id} onPointerMove={onMove} onPointerLeave={() => setAt(null)} onKeyDown={onKey} onBlur={() => setAt(null)} onClick={() => at !== null && props.onPick?.(at)}>
        <Axes {...props} xs={xs} ys={ys} width={width} height={height} />
        {[...series.keys()].reverse().map((i) => <Shape key={series[i]?.name} series={series[i]} values={sums[i] ?? []} under={stacked ? sums[i - 1] : undefined} stacked={stacked} x={x} xs={xs} ys={ys} />)}
        <Levels lines={lines} ys={ys} width={width} />
        {props.mark && <Mark mark={props.mark} xs={xs} height={height} width={width} />}
        {at !== null && <line className="cursor" x1={xs(x[at] ?? 0)} x2={xs(x[at] ?? 0)} y1={top} y2={height - bottom} />}
        {at !== null && !stacked && sums.map((s, i) => { const v = s[at]; return v === null || v === undefined ? null : <circle key={i} cx={xs(x[at] ?? 0)} cy={ys(v)} r={3.5} style={{ fill: `var(${series[i]?.colour})` }} />; })}
      </svg>
      {at !== null && <Tip {...props} at={at} pixel={xs(x[at] ?? 0)} width={width} />}
      <span className="hidden" id={id} aria-live="polite">{at === null ? '' : said(props, at)}</span>
      {series.length > 1 && <Legend series={series} stacked={stacked} />}
      <details className="as-table">
        <summary>As a table</summary>
        <AsTable {...props} />
      </details>
    </figure>
  );
}

function stack(series: readonly Series[], length: number): (number | null)[][] {
  let before: number[] = Array.from({ length }, () => 0);
  return series.map((s) => (before = before.map((b, i) => b + (s.values[i] ?? 0))));
}

const said = ({ x, xText, xName, series, yText }: Props, at: number) =>
  `${xName} ${xText(x[at] ?? 0)}: ${series.map((s) => `${s.name} ${value(s, at, yText)}`).join(', ')}`;

const value = (s: Series, at: number, text: (y: number) => string) => (s.values[at] === null || s.values[at] === undefined ? 'not known' : text(s.values[at]));

function Axes({ xs, ys, width, height, xText, xTicks, xName, yText, yName, bands = [], x }: Props & { xs: Scale; ys: Scale; width: number; height: number }) {
  return (
    <g className="axes" aria-hidden="true">
      {ys.ticks.map((t) => <g key={t}><line x1={left} x2={width - right} y1={ys(t)} y2={ys(t)} /><text x={left - 6} y={ys(t) + 4} textAnchor="end">{yText(t)}</text></g>)}
      {bands.map((b) => {
        const [from, to] = [xs(x[b.from] ?? 0), xs(x[b.to] ?? 0)];
        return <g key={b.name}><line className="band" x1={from} x2={from} y1={top} y2={height - bottom + 16} />{to - from > b.name.length * 6 && <text x={(from + to) / 2} y={height - bottom + 14} textAnchor="middle">{b.name}</text>}</g>;
      })}
      {bands.length === 0 && xs.ticks.map((t) => { const text = xTicks ? xTicks(t) : xText(t); return text === null ? null : <text key={t} x={xs(t)} y={height - bottom + 14} textAnchor={xs(t) > width - right - 14 ? 'end' : 'middle'}>{text}</text>; })}
      <text className="name" x={left} y={11}>{yName}</text>
      <text className="name" x={width - right} y={height - 4} textAnchor="end">{xName}</text>
    </g>
  );
}

function Shape({ series, values, under, stacked, x, xs, ys }: { series: Series | undefined; values: readonly (number | null)[]; under: readonly (number | null)[] | undefined; stacked: boolean; x: readonly number[]; xs: Scale; ys: Scale }) {
  if (!series) return null;
  const points = values.flatMap((v, i) => (v === null ? [] : [`${xs(x[i] ?? 0).toFixed(1)},${ys(v).toFixed(1)}`]));
  if (!stacked) return <polyline className="line" points={points.join(' ')} strokeDasharray={series.dashed ? '5 4' : undefined} style={{ stroke: `var(${series.colour})` }} />;
  const back = x.map((v, i) => `${xs(v).toFixed(1)},${ys(under?.[i] ?? 0).toFixed(1)}`).reverse();
  return <polygon className="area" points={[...points, ...back].join(' ')} style={{ fill: `var(${series.colour})` }} />;
}

function Levels({ lines, ys, width }: { lines: readonly Line[]; ys: Scale; width: number }) {
  return <g className="levels" aria-hidden="true">{lines.map((l) => <g key={l.name}><line x1={left} x2={width - right} y1={ys(l.at)} y2={ys(l.at)} /><text x={left + 6} y={ys(l.at) - 4}>{l.name}</text></g>)}</g>;
}

function Mark({ mark, xs, height, width }: { mark: { x: number; name: string }; xs: Scale; height: number; width: number }) {
  const at = xs(mark.x);
  const end = at > width / 2;
  return <g className="mark" aria-hidden="true"><line x1={at} x2={at} y1={top} y2={height - bottom} /><text x={at + (end ? -5 : 5)} y={top + 10} textAnchor={end ? 'end' : 'start'}>{mark.name}</text></g>;
}

function Tip({ x, xText, series, yText, at, pixel, width, extra, stacked }: Props & { at: number; pixel: number; width: number }) {
  const total = stacked ? series.reduce((n, s) => n + (s.values[at] ?? 0), 0) : null;
  return (
    <div className="chart-tip" aria-hidden="true" style={pixel > width / 2 ? { right: width - pixel + 12 } : { left: pixel + 12 }}>
      <b>{xText(x[at] ?? 0)}</b>
      {extra?.(at)}
      {total !== null && <div className="sum"><span>together</span><span>{yText(total)}</span></div>}
      {series.filter((s) => !stacked || (s.values[at] ?? 0) > 0).map((s) => <div key={s.name}><i style={{ background: `var(${s.colour})` }} /><span>{s.name}</span><span>{value(s, at, yText)}</span></div>)}
    </div>
  );
}

export function Legend({ series, stacked = false }: { series: readonly Pick<Series, 'name' | 'colour' | 'dashed'>[]; stacked?: boolean }) {
  return <ul className="legend">{series.map((s) => <li key={s.name}><i className={stacked ? '' : 'thin'} style={{ background: `var(${s.colour})` }} />{s.name}</li>)}</ul>;
}

function AsTable({ label, x, xName, xText, series, yText, extra }: Props) {
  const columns = [
    { key: 'x', title: xName, cell: (i: number) => <>{xText(x[i] ?? 0)} {extra?.(i)}</> },
    ...series.map((s) => ({ key: s.name, title: s.name, right: true, cell: (i: number) => value(s, i, yText) })),
  ];
  return <Table label={label} columns={columns} rows={[...x.keys()]} id={String} height={x.length > 12 ? '18rem' : undefined as never} />;
}
