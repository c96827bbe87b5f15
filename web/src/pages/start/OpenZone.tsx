import { useEffect, useRef, useState, type ClipboardEvent, type DragEvent } from 'react';
import { useCommands } from '../../app/commands';
import { openFile, openGiven, prepareFiles, type Asked } from '../../state/opening';
import { Button } from '../../ui/Button';
import { Missing } from './Missing';

// OpenZone takes a file that is dropped or picked, and text that is pasted or typed.
export function OpenZone() {
  const picker = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState('');
  const [error, setError] = useState('');
  const [asked, setAsked] = useState<Asked | null>(null);
  useCommands([{ id: 'open', group: 'File', title: 'Open a file', keys: 'Ctrl O', run: () => picker.current?.click() }]);

  useEffect(() => {
    window.addEventListener('dragenter', prepareFiles);
    return () => window.removeEventListener('dragenter', prepareFiles);
  }, []);

  const take = async (what: string, work: () => Promise<Asked | null>) => {
    setBusy(what);
    setError('');
    setAsked(null);
    try {
      setAsked(await work());
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      setBusy('');
    }
  };
  const takeFile = (file: File | undefined) => file && take(`Reading ${file.name}`, () => openFile(file));
  const takeText = (value: string) => value.trim() && take('Reading what you pasted', () => openGiven({ name: pastedName(value), text: value }));
  const onDrop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    const file = e.dataTransfer.files[0];
    if (file) void takeFile(file);
    else void takeText(e.dataTransfer.getData('text'));
  };
  const onPaste = (e: ClipboardEvent) => {
    const file = e.clipboardData.files[0];
    if (file) void takeFile(file);
    else {
      const value = e.clipboardData.getData('text');
      if (text !== '') return;
      if (value.length > 200_000) e.preventDefault(); // a text field of megabytes would hold the page up
      void takeText(value);
    }
  };

  return (
    <section className={`zone ${over ? 'over' : ''}`} aria-label="Open a model" onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={onDrop}>
      <h1>Will it run? What will it cost?</h1>
      <p className="quiet lede">Drop a model, and see it drawn, checked and priced. It stays in this browser.</p>
      <div className="take">
        <textarea className="input" rows={3} aria-label="Paste a model or a launch command" placeholder={'Paste a config.json, PyTorch source, a graph, or a command such as\nvllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 3'} value={text} onFocus={prepareFiles} onChange={(e) => setText(e.target.value)} onPaste={onPaste} onKeyDown={(e) => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && void takeText(text)} />
        <div className="row wrap">
          <Button look="primary" keys="Ctrl O" onPointerEnter={prepareFiles} onFocus={prepareFiles} onClick={() => picker.current?.click()}>Open a file</Button>
          <Button disabled={text.trim() === ''} onClick={() => void takeText(text)}>Check the text</Button>
          <span className="quiet small grow">config.json · .py · .onnx · .gguf · .safetensors · graph JSON · notation · launch command</span>
        </div>
      </div>
      <input ref={picker} type="file" className="hidden" tabIndex={-1} aria-label="File" onChange={(e) => { void takeFile(e.target.files?.[0]); e.target.value = ''; }} />
      {busy && <p className="notice" role="status">{busy}…</p>}
      {error && <p className="notice block" role="alert">{error}</p>}
      {asked && <Missing asked={asked} onAnswer={(given) => void take(`Reading ${given.name}`, () => openGiven(given))} />}
    </section>
  );
}

// pastedName is how a text is called that has no name, so that the importer knows what to expect.
function pastedName(text: string): string {
  if (/^\s*\{/.test(text)) return 'config.json';
  if (/^\s*(graph|\w+:)\s/.test(text)) return 'pasted.graph';
  if (/^\s*(import|from|class|def|@|#|""")/m.test(text) && /\b(nn|torch|import)\b/.test(text)) return 'pasted.py';
  return 'command.txt';
}
