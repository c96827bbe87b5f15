import { Field } from './Field';

interface Props {
  label: string;
  steps: readonly number[]; // the values that the slider stops at
  value: number;
  unit?: string;
  hint?: string | undefined;
  most?: number; // of a number that is typed
  onChange: (value: number) => void;
}

// Slider chooses a number by dragging, by arrow keys, or by typing any number into the field beside it.
export function Slider({ label, steps, value, unit, hint, most = 1_000_000, onChange }: Props) {
  const at = steps.reduce((best, s, i) => (Math.abs(Math.log(s / value)) < Math.abs(Math.log((steps[best] ?? 1) / value)) ? i : best), 0);
  const type = (text: string) => {
    const n = Math.round(Number(text));
    if (n >= 1 && n <= most) onChange(n);
  };
  return (
    <Field label={label} hint={hint} {...(unit ? { unit } : {})}>
      {(control) => (
        <>
          <input type="range" className="range grow" {...control} min={0} max={steps.length - 1} step={1} value={at} aria-valuetext={`${value}${unit ? ` ${unit}` : ''}`} onChange={(e) => onChange(steps[Number(e.target.value)] ?? 1)} />
          <input type="number" className="input typed" aria-label={`${label}, as a number`} min={1} max={most} value={value} onChange={(e) => type(e.target.value)} />
        </>
      )}
    </Field>
  );
}
