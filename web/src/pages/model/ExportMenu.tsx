import { useEffect, useRef } from 'react';
import { useCommands } from '../../app/commands';
import { Button } from '../../ui/Button';
import { copyForm, copyLink, download, downloadPng } from './exporting';
import { SharePlan } from './SharePlan';
import { useMenu } from './Toolbar';

const items: { id: string; title: string; run: () => Promise<void> }[] = [
  { id: 'link', title: 'Copy a link with the model in it', run: copyLink },
  { id: 'copy-json', title: 'Copy as JSON', run: () => copyForm('json') },
  { id: 'copy-torch', title: 'Copy as PyTorch', run: () => copyForm('torch') },
  { id: 'save-json', title: 'Download JSON', run: () => download('json') },
  { id: 'save-notation', title: 'Download notation', run: () => download('notation') },
  { id: 'save-torch', title: 'Download PyTorch', run: () => download('torch') },
  { id: 'save-svg', title: 'Download SVG', run: () => download('svg') },
  { id: 'save-png', title: 'Download PNG', run: downloadPng },
  { id: 'save-mermaid', title: 'Download Mermaid', run: () => download('mermaid') },
];

export function ExportMenu() {
  const menu = useMenu();
  const box = useRef<HTMLDivElement>(null);
  useCommands(items.map((i) => ({ id: i.id, group: 'File', title: i.title, run: () => void i.run() })));
  useEffect(() => {
    if (!menu.open) return;
    box.current?.querySelector('button')?.focus();
    const away = (e: Event) => e.target instanceof Node && !box.current?.parentElement?.contains(e.target) && menu.close();
    const escape = (e: KeyboardEvent) => e.key === 'Escape' && menu.close();
    document.addEventListener('pointerdown', away);
    document.addEventListener('keydown', escape);
    return () => {
      document.removeEventListener('pointerdown', away);
      document.removeEventListener('keydown', escape);
    };
  });
  return (
    <div className="menu-anchor">
      <Button small aria-haspopup="true" aria-expanded={menu.open} onClick={menu.toggle}><span>Share<span className="and-save"> and save</span></span></Button>
      {menu.open && (
        <div className="menu right" ref={box}>
          <SharePlan onDone={menu.close} />
          {items.map((i) => <button key={i.id} type="button" onClick={() => { menu.close(); void i.run(); }}>{i.title}</button>)}
        </div>
      )}
    </div>
  );
}
