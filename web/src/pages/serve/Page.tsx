import { navigate, useRoute } from '../../app/router';
import { useStore } from '../../state/store';
import { NoModel } from '../../ui/NoModel';
import { Segments } from '../../ui/Segments';
import { Launch } from './Launch';
import { Split } from './Split';
import '../plan/plan.css';
import './serve.css';

const parts = [{ value: 'launch', text: 'Serve it' }, { value: 'split', text: 'Split its training' }] as const;

export default function ServePage() {
  const doc = useStore((s) => s.doc);
  const { params } = useRoute();
  const part = params.get('part') === 'split' ? 'split' : 'launch';
  if (!doc) return <NoModel title="Serve and split" says="Paste a launch command of vLLM, SGLang, TGI, TensorRT-LLM or llama.cpp and see what the engine would refuse, and how many sequences it holds. Or see every legal split of a training run over many cards." suggest={['llama-3.1-8b', 'mixtral-8x7b', 'gpt2-small']} />;
  const choose = (to: (typeof parts)[number]['value']) => navigate('/serve', { ...Object.fromEntries(params), part: to }, 'replace');
  return (
    <div className="page stack wide">
      <div className="row wrap"><h1 className="grow">{part === 'split' ? 'Split the training of' : 'Serve'} {doc.title}</h1><Segments label="What to look at" options={parts} value={part} onChange={choose} /></div>
      {part === 'split' ? <Split model={doc.model} /> : <Launch model={doc.model} />}
    </div>
  );
}
