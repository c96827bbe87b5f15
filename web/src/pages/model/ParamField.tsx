import { useEffect, useState } from 'react';
import type { Json, ParamType } from '../../engine/types';
import { Field } from '../../ui/Field';

interface Props {
  param: ParamType;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
}

// ParamField is one parameter: a control that fits its kind, its range, its doc, and what is wrong with what was typed.
export function ParamField({ param, value, onChange }: Props) {
  const hint = [param.doc, param.takes ?? range(param), param.derived && `Left out: ${param.derived}.`, param.lazy && 'Left out: taken from what arrives.', param.default !== undefined && `Left out: ${written(param.default)}.`].filter(Boolean).join(' · ');
  if (param.kind === 'bool') {
    const now = value ?? param.default ?? false;
    return <Field label={param.name} hint={hint}>{(c) => <input id={c.id} aria-describedby={c['aria-describedby']} type="checkbox" checked={now === true} onChange={(e) => onChange(e.target.checked)} />}</Field>;
  }
  if (param.values?.length) {
    return (
      <Field label={param.name} hint={hint}>
        {(c) => (
          <select className="input" {...c} value={value === undefined ? '' : String(value)} onChange={(e) => onChange(e.target.value === '' ? undefined : e.target.value)}>
            {(!param.required || value === undefined) && <option value="">{param.default === undefined ? '(left out)' : `(left out: ${written(param.default)})`}</option>}
            {param.values?.map((v) => <option key={v}>{v}</option>)}
          </select>
        )}
      </Field>
    );
  }
  return <TextParam param={param} value={value} onChange={onChange} hint={hint} />;
}

function TextParam({ param, value, onChange, hint }: Props & { hint: string }) {
  const [text, setText] = useState(written(value));
  const [error, setError] = useState('');
  const [seen, setSeen] = useState(value);
  useEffect(() => {
    if (JSON.stringify(seen) === JSON.stringify(value)) return;
    setSeen(value);
    setText(written(value));
    setError('');
  }, [value, seen]);
  const change = (next: string) => {
    setText(next);
    const read = readValue(param, next);
    setError(read.error ?? '');
    if (read.error === undefined) {
      setSeen(read.value);
      onChange(read.value);
    }
  };
  const nudge = (by: number) => {
    const n = Number(text);
    if (param.kind === 'int' && text !== '' && Number.isInteger(n)) change(String(n + by));
  };
  return (
    <Field label={param.name} hint={hint} error={error}>
      {(c) => (
        <input className="input mono" {...c} inputMode={param.kind === 'int' || param.kind === 'float' ? 'numeric' : 'text'} placeholder={param.required ? 'needed' : param.default === undefined ? 'left out' : written(param.default)} value={text}
          onChange={(e) => change(e.target.value)}
          onKeyDown={(e) => (e.key === 'ArrowUp' || e.key === 'ArrowDown') && (e.preventDefault(), nudge((e.key === 'ArrowUp' ? 1 : -1) * (e.shiftKey ? 10 : 1)))} />
      )}
    </Field>
  );
}

function range(p: ParamType): string {
  if (p.min !== undefined && p.max !== undefined) return `${p.min} to ${p.max}`;
  if (p.min !== undefined) return `at least ${p.min}`;
  return p.max !== undefined ? `at most ${p.max}` : '';
}

export function written(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.map(written).join(', ') : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

// readValue reads what was typed. The engine judges the value; here only what cannot be written down is refused.
export function readValue(p: ParamType, text: string): { value: Json | undefined; error?: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  const number = (t: string) => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(t) ? Number(t) : NaN);
  if (p.kind === 'int' || p.kind === 'float') {
    const n = number(trimmed);
    if (Number.isNaN(n)) return { value: undefined, error: `${p.name} takes a number` };
    if (p.kind === 'int' && !Number.isInteger(n)) return { value: undefined, error: `${p.name} takes a whole number` };
    if (p.min !== undefined && n < p.min) return { value: undefined, error: `${p.name} is at least ${p.min}` };
    if (p.max !== undefined && n > p.max) return { value: undefined, error: `${p.name} is at most ${p.max}` };
    return { value: n };
  }
  if (p.kind === 'dims' || p.kind === 'ints' || p.kind === 'floats') {
    const parts = trimmed.replace(/^[[(]|[\])]$/g, '').split(/[\s,×x]+/).filter(Boolean).map(number);
    if (parts.some(Number.isNaN)) return { value: undefined, error: `${p.name} takes numbers with commas between them` };
    return { value: parts.length === 1 && p.kind === 'dims' && !/[[(,]/.test(trimmed) ? (parts[0] ?? 0) : parts };
  }
  return { value: trimmed };
}
