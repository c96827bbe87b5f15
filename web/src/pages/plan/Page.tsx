import { useEffect, useMemo, useState } from 'react';
import type { Card, FitAnswer, MemoryCurve, PlanAnswer } from '../../engine/answers';
import { useCall } from '../../engine/useCall';
import { useStore } from '../../state/store';
import { NoModel } from '../../ui/NoModel';
import { request, useChoices, type Choices } from './ask';
import { Controls } from './Controls';
import { CurvePlot } from './CurvePlot';
import { Fixes } from './Fixes';
import { Headline } from './Headline';
import { MemoryBar } from './MemoryBar';
import { Share } from './Share';
import { UsePlot } from './UsePlot';
import './plan.css';

const nothing = {};
const quick = { delayMs: 0 };

export default function PlanPage() {
  const doc = useStore((s) => s.doc);
  const [choices, change] = useChoices();
  const model = doc?.model;
  const ask = useMemo(() => (model ? request(model, choices) : null), [model, choices]);
  const cards = useCall<{ cards: Card[] }>('view/cards', nothing).value?.cards ?? [];
  const { value: answer, error, pending } = useCall<PlanAnswer>('plan', ask, quick);
  const curve = useCall<MemoryCurve>('view/memory', ask, quick).value;
  const fit = useCall<FitAnswer>('view/fit', ask).value;
  const opened = useOpened(doc?.key, choices, answer);
  if (!doc || !model) return <NoModel title="What will it take?" says="The Plan page says what training and using a model take: memory on each card, time and money, with their error, and what makes it fit." suggest={['llama-3.1-8b', 'gpt2-small', 'resnet50', 'vit-b16']} />;
  const plan = answer?.plan;
  return (
    <div className="page plan">
      <h1 className="hidden">Plan of {doc.title}</h1>
      <Controls plan={plan} cards={cards} choices={choices} change={change} />
      <div className={`stack wide answers ${pending ? 'pending' : ''}`} aria-busy={pending}>
        {error && <p className="notice block" role="alert">{error.message}</p>}
        {plan && <Headline plan={plan} title={doc.title} opened={opened} />}
        {plan?.memory && curve?.peak && (
          <section className="panel part">
            <h2 id="memory">Memory of training, against the cards</h2>
            <MemoryBar plan={plan} peak={curve.peak} cards={cards} chosen={choices.gpu ?? plan.cost.fitsGpu} onCard={(gpu) => change({ gpu })} />
          </section>
        )}
        {fit && plan && (
          <section className="panel part">
            <h2 id="fit">{fit.fits ? 'What takes less' : 'What makes it fit'}</h2>
            <Fixes answer={fit} onApply={change} />
          </section>
        )}
        {curve && (
          <section className="panel part">
            <h2 id="curve">Over one training step</h2>
            <CurvePlot curve={curve} />
          </section>
        )}
        <section className="panel part">
          <h2 id="use">Using it: inference</h2>
          <UsePlot model={model} cards={cards} chosen={choices.gpu} />
        </section>
        {answer && ask && <section className="panel part"><h2 id="share">Keep or share it</h2><Share ask={ask} answer={answer} /></section>}
      </div>
    </div>
  );
}

// useOpened is what the run took with nothing chosen yet, in bytes on the card, where that was seen: what a choice is compared with.
function useOpened(key: string | undefined, choices: Choices, answer: PlanAnswer | undefined): number | undefined {
  const [seen, setSeen] = useState<{ key: string; bytes: number }>();
  const bytes = answer?.plan.memory?.cardBytes;
  const untouched = Object.keys(choices).length === 0;
  useEffect(() => {
    if (key !== undefined && untouched && bytes !== undefined) setSeen((was) => (was?.key === key ? was : { key, bytes }));
  }, [key, untouched, bytes]);
  return seen?.key === key ? seen?.bytes : undefined;
}
