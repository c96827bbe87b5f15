import { Button } from './Button';

// Segments is one choice of a few, all in view.
export function Segments<T extends string>({ label, options, value, onChange }: { label: string; options: readonly { value: T; text: string; why?: string }[]; value: T; onChange: (value: T) => void }) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map((o) => <Button key={o.value} small title={o.why} aria-pressed={o.value === value} onClick={() => onChange(o.value)}>{o.text}</Button>)}
    </div>
  );
}
