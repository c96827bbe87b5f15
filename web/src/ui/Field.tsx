import { useId, type ReactNode } from 'react';

interface Props {
  label: string;
  hint?: ReactNode; // range and doc
  error?: string | undefined;
  unit?: string;
  children: (control: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode;
}

// Field joins a label, a control, its unit, its doc and its error; the control gets what a screen reader needs.
export function Field({ label, hint, error, unit, children }: Props) {
  const id = useId();
  const described = hint || error ? `${id}-about` : undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="control">
        {children({ id, 'aria-describedby': described, 'aria-invalid': Boolean(error) })}
        {unit && <span className="unit">{unit}</span>}
      </div>
      {described && (
        <div id={described}>
          {error && <div className="error" role="alert">{error}</div>}
          {hint && <div className="hint">{hint}</div>}
        </div>
      )}
    </div>
  );
}
