import type { Card, PlanRecord } from '../../engine/answers';
import { memory } from '../../ui/amounts';
import { Button } from '../../ui/Button';
import { Field } from '../../ui/Field';
import { Slider } from '../../ui/Slider';
import type { Choices } from './ask';
import { exact } from '../../ui/numbers';

const powers = (from: number, to: number) => Array.from({ length: Math.log2(to / from) + 1 }, (_, i) => from * 2 ** i);
const batches = powers(1, 1024);
const lengths = powers(64, 131_072);
const precisions = [['fp32', 'fp32: 32-bit floats'], ['tf32', 'tf32: fp32 with TF32 products'], ['amp', 'amp: bf16 autocast, fp32 weights'], ['fp16', 'fp16: autocast, fp32 weights'], ['bf16', 'bf16: everything']] as const;
const optimizers = [['adamw', 'AdamW'], ['adam', 'Adam'], ['adamw-fused', 'AdamW, fused'], ['adamw-8bit', 'AdamW, 8-bit states'], ['adafactor', 'Adafactor'], ['sgd', 'SGD with momentum'], ['sgd-plain', 'SGD']] as const;
const attentions = [['sdpa', 'sdpa: fused'], ['flash', 'flash'], ['eager', 'eager: scores in memory']] as const;
const ranks = [4, 8, 16, 32, 64, 128];

interface Props {
  plan: PlanRecord | undefined;
  cards: readonly Card[];
  choices: Choices;
  change: (by: { [K in keyof Choices]?: Choices[K] | undefined }) => void;
}

// Controls are the run: each shows what the estimate took where nothing was chosen.
export function Controls({ plan, cards, choices, change }: Props) {
  const t = plan?.training;
  const batch = choices.batch ?? t?.batch ?? 8;
  const length = choices.seqLen ?? plan?.seqLen?.used;
  const chosen = Object.keys(choices).length > 0;
  return (
    <section className="panel controls" aria-label="The training run">
      <div className="row"><h2 className="grow">The run</h2>{chosen && <Button small look="quiet" onClick={() => change(Object.fromEntries(Object.keys(choices).map((k) => [k, undefined])))}>Reset</Button>}</div>
      <Slider label="Batch" steps={batches} value={batch} unit="samples" most={1 << 20} onChange={(n) => change({ batch: n })} />
      {plan?.seqLen && length !== undefined && (
        <Slider label="Sequence length" steps={lengths} value={length} unit="tokens" hint={plan.seqLen.notRun ? `The model does not run at ${plan.seqLen.notRun}: ${plan.seqLen.used} is used.` : undefined} onChange={(n) => change({ seqLen: n })} />
      )}
      <Choice label="Precision" options={precisions} value={t?.precision ?? 'fp32'} onChange={(precision) => change({ precision })} />
      <Choice label="Optimizer" options={optimizers} value={t?.optimizer ?? 'adamw'} onChange={(optimizer) => change({ optimizer })} />
      <Field label="Train">
        {(control) => (
          <select className="input" {...control} value={choices.lora ?? 0} onChange={(e) => change({ lora: Number(e.target.value) || undefined })}>
            <option value={0}>every weight</option>
            {ranks.map((r) => <option key={r} value={r}>{`LoRA adapters of rank ${r}`}</option>)}
          </select>
        )}
      </Field>
      <Toggle label="Checkpointing" hint="computes activations again in the backward pass" value={choices.checkpointing ?? false} onChange={(checkpointing) => change({ checkpointing })} />
      <Toggle label="Fused loss" hint="makes the logits in pieces" value={choices.fusedLoss ?? false} onChange={(fusedLoss) => change({ fusedLoss })} />
      <Choice label="Attention" options={attentions} value={t?.attention ?? 'sdpa'} onChange={(attention) => change({ attention })} />
      <Field label="Micro-batch" hint="samples that go through the model at once">
        {(control) => <input type="number" className="input" {...control} min={1} max={batch} placeholder="the whole batch" value={choices.microBatch ?? ''} onChange={(e) => change({ microBatch: Number(e.target.value) || undefined })} />}
      </Field>
      <Field label="Card">
        {(control) => (
          <select className="input" {...control} value={choices.gpu ?? ''} onChange={(e) => change({ gpu: e.target.value || undefined })}>
            <option value="">the cheapest that fits{plan ? ` (${plan.cost.fitsGpu === 'none' ? 'no single card' : plan.cost.fitsGpu})` : ''}</option>
            {cards.map((c) => <option key={c.id} value={c.id}>{`${c.name}, ${memory(c.bytes)}, $${c.usdPerHour}/h`}</option>)}
          </select>
        )}
      </Field>
      <div className="two">
        <Count label="Epochs" value={choices.epochs} used={t?.epochs} onChange={(epochs) => change({ epochs })} />
        <Count label="Samples" value={choices.samples} used={t?.samples} onChange={(samples) => change({ samples })} />
      </div>
    </section>
  );
}

function Choice({ label, options, value, onChange }: { label: string; options: readonly (readonly [string, string])[]; value: string; onChange: (value: string) => void }) {
  return (
    <Field label={label}>
      {(control) => <select className="input" {...control} value={value} onChange={(e) => onChange(e.target.value)}>{options.map(([v, text]) => <option key={v} value={v}>{text}</option>)}</select>}
    </Field>
  );
}

function Toggle({ label, hint, value, onChange }: { label: string; hint: string; value: boolean; onChange: (value: boolean) => void }) {
  return <label className="toggle"><input type="checkbox" role="switch" checked={value} onChange={(e) => onChange(e.target.checked)} /><span><b>{label}</b> <span className="quiet">{hint}</span></span></label>;
}

function Count({ label, value, used, onChange }: { label: string; value: number | undefined; used: number | undefined; onChange: (value: number | undefined) => void }) {
  return (
    <Field label={label}>
      {(control) => <input type="number" className="input" {...control} min={1} placeholder={used === undefined ? undefined : exact(used)} value={value ?? ''} onChange={(e) => onChange(Math.round(Number(e.target.value)) || undefined)} />}
    </Field>
  );
}
