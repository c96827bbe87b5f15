import { useMemo } from 'react';
import type { FitAnswer } from '../../engine/answers';
import { dollars, duration, memory } from '../../ui/amounts';
import { Button } from '../../ui/Button';
import { Glyph } from '../../ui/Glyph';
import { Table, type Column } from '../../ui/Table';
import { applied, type Choices } from './ask';

type Row = FitAnswer['fixes'][number];

// Fixes is what makes the run fit, or what takes less of the card; a row is applied by its button, and undone by the browser's way back.
export function Fixes({ answer, onApply }: { answer: FitAnswer; onApply: (by: Partial<Choices>) => void }) {
  const columns = useMemo<Column<Row>[]>(() => [
    { key: 'change', title: 'Change', cell: (f) => <span className="words">{f.change}</span> },
    { key: 'memory', title: 'On the card', right: true, cell: (f) => memory(f.cardBytes), sort: (f) => f.cardBytes },
    { key: 'saves', title: 'Saves', right: true, cell: (f) => saving(f.cardBytes, answer.cardBytes), sort: (f) => answer.cardBytes - f.cardBytes },
    { key: 'gpu', title: 'Card', cell: (f) => <span className="num">{f.fits ? <span className="tone-good"><Glyph name="good" /> fits </span> : <span className="tone-block"><Glyph name="block" /> not yet </span>}{f.gpu}</span> },
    { key: 'step', title: 'A step', right: true, cell: (f) => duration(f.stepMicros / 1e6), sort: (f) => f.stepMicros },
    { key: 'cost', title: 'The run', right: true, cell: (f) => dollars(f.costUsd), sort: (f) => f.costUsd },
    { key: 'apply', title: 'Do it', cell: (f) => <Button small look="fix" aria-label={`Apply: ${f.change}`} onClick={() => onApply(applied(f.training))}>Apply</Button> },
  ], [answer, onApply]);
  if (answer.lacks) return <p className="quiet">Not known: {answer.lacks}.</p>;
  if (answer.fixes.length === 0) return <p className="quiet">Nothing that we know of takes less.</p>;
  return (
    <>
      <p>{answer.fits ? `The run fits on ${answer.gpu}. These changes take less of it.` : `The run does not fit on ${answer.gpu.replace(/^[\d,]+x /, 'one ')}. Each row was estimated as the run itself.`}</p>
      <Table label={answer.fits ? 'What takes less memory' : 'What makes it fit'} columns={columns} rows={answer.fixes} id={(f) => f.change} />
    </>
  );
}

const saving = (is: number, was: number) => (is < was ? `−${Math.round((1 - is / was) * 100)} %` : is === was ? '0 %' : `+${Math.round((is / was - 1) * 100)} %`);
