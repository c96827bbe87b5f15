import type { PlanRecord } from '../../engine/answers';
import { dollars, duration, memory } from '../../ui/amounts';
import { Button } from '../../ui/Button';
import { Figure } from '../../ui/Figure';
import { Glyph } from '../../ui/Glyph';
import { exact, short } from '../../ui/numbers';
import { assumed, measured } from './words';

// toShare leads to the part of the page that shares, which lies below all figures.
function toShare() {
  const button = document.querySelector<HTMLElement>('.share-plan');
  button?.scrollIntoView({ block: 'center' });
  button?.focus({ preventScroll: true });
}

// Headline is the answer: what it takes, in four figures, each with its error and what it rests on.
export function Headline({ plan, title, opened }: { plan: PlanRecord; title: string; opened: number | undefined }) {
  const { cost, memory: m, run, model, training } = plan;
  const rests = assumed(cost.assumptions);
  const why = cost.withheld.length > 0 ? `lacks ${cost.withheld.length} components` : 'the model has no price';
  const least = cost.withheld.length > 0 ? 'at least ' : '';
  const r = cost.range;
  const asked = cost.asked;
  return (
    <section className="stack" aria-label="The plan">
      <div className="row wrap"><p className="summary grow">{plan.summary}</p><Button small onClick={toShare}>Share the plan…</Button></div>
      {!run.legal && <p className="notice block"><Glyph name="block" /> {title} does not run: {run.blockers[0]?.detail}{cost.estCostUsd === null ? '' : ' What follows is the plan of the repaired model.'}</p>}
      {run.withheld.length > 0 && <p className="notice warn">No verdict on {run.withheld.length} components; what follows lacks them.</p>}
      {asked && !asked.fits && <p className="notice warn"><Glyph name="warn" /> {asked.gpu} has {memory(asked.memoryBytes)} and the run needs {memory(asked.needBytes)}.</p>}
      <dl className="figures">
        <div><dt>On the card</dt><dd><Figure value={m && least + memory(m.cardBytes)} why={why} exact={m ? `${exact(m.cardBytes)} bytes: what must fit, at the most` : undefined} error={m ? `${memory(m.peakBytes)} of it allocated at the peak. ${measured(m.errorPercent)}` : undefined} assumes={rests} /></dd></div>
        <div><dt>Card</dt><dd><Figure value={cost.estCostUsd === null ? null : cost.gpu} why={why} exact={cost.fitsGpu === 'none' ? 'No single card holds the run.' : `The cheapest that holds it: ${cost.fitsGpu}`} /></dd></div>
        <div><dt>Time</dt><dd><Figure value={cost.estTrainSec === null ? null : least + duration(cost.estTrainSec)} why={why} error={r ? `From ${duration(r.lowSec)} to ${duration(r.highSec)}` : undefined} assumes={rests} /></dd></div>
        <div><dt>Money</dt><dd><Figure value={cost.estCostUsd === null ? null : least + dollars(cost.estCostUsd)} why={why} error={r ? `From ${dollars(r.lowUsd)} to ${dollars(r.highUsd)}` : undefined} assumes={rests} /></dd></div>
        <div><dt>{training.trainedParams === undefined ? 'Weights' : 'Trained weights'}</dt><dd><Figure value={short(training.trainedParams ?? model.params, 'weights')} exact={`${exact(training.trainedParams ?? model.params)}${training.trainedParams === undefined ? '' : ` of ${exact(model.params)}`}, exactly`} error={model.paramsWithheld.length > 0 ? `without ${model.paramsWithheld.length} components` : undefined} /></dd></div>
      </dl>
      {m && opened !== undefined && opened !== m.cardBytes && <p>{`As it was opened it took ${memory(opened)}: this is ${m.cardBytes < opened ? `${Math.round((1 - m.cardBytes / opened) * 100)} % less` : `${Math.round((m.cardBytes / opened - 1) * 100)} % more`}.`}</p>}
      {r && <p className="quiet small">{`Time and money lie between ${duration(r.lowSec)} and ${duration(r.highSec)}, ${dollars(r.lowUsd)} and ${dollars(r.highUsd)}; ${training.samplesAssumed ? `${exact(training.samples)} samples are assumed` : `${exact(training.samples)} samples`}, ${training.epochs} epochs.`}</p>}
    </section>
  );
}
