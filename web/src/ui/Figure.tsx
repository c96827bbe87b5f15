import { useId, type ReactNode } from 'react';

interface Props {
  value: string | null; // null is not known
  exact?: string | undefined;
  error?: string | undefined; // "± 4 % in nineteen of twenty runs"
  assumes?: readonly string[] | undefined;
  why?: string | undefined; // why it is not known
  children?: ReactNode;
}

// Figure is a number with what one should know about it: exact value, error, assumptions, or why it is not known.
export function Figure({ value, exact, error, assumes, why, children }: Props) {
  const id = useId();
  const lines = [exact !== value ? exact : undefined, error, ...(assumes ?? []), value === null ? (why ?? 'not known') : undefined].filter((l): l is string => Boolean(l));
  if (lines.length === 0) return <span className="figure">{value}{children}</span>;
  return (
    <span className="figure tipped" tabIndex={0} role="group" aria-describedby={id}>
      {value ?? '–'}{children}
      <span className="tip" role="tooltip" id={id}>
        <ul>{lines.map((l) => <li key={l}>{l}</li>)}</ul>
      </span>
    </span>
  );
}
