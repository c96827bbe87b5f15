import { Suspense, useEffect, useRef, useState } from 'react';
import { engine } from '../engine/client';
import { useEngineState } from '../engine/useCall';
import { redo, undo, useStore } from '../state/store';
import { useVerdict } from '../state/verdict';
import { Button } from '../ui/Button';
import { Verdict } from '../ui/Verdict';
import { Boundary } from './Boundary';
import { useCommands } from './commands';
import { Notices } from './Notices';
import { pages } from './pages';
import { Palette } from './Palette';
import { href, navigate, useRoute } from './router';
import { chooseTheme, isDark } from './theme';

export function Shell() {
  const { path } = useRoute();
  const [palette, setPalette] = useState(false);
  const page = pages.find((p) => p.path === path) ?? pages[0];
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = page && page.path !== '/' ? `${page.title} · Model Verifier` : 'Model Verifier';
  }, [page]);
  useShellCommands(() => setPalette(true));
  if (!page) return null;
  return (
    <div className={`shell ${page.full ? 'full' : ''}`}>
      <a className="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>Skip to the page</a>
      <header className="top no-print">
        <a className="brand" href={href('/')}>Model Verifier</a>
        <nav aria-label="Pages">
          {pages.map((p) => <a key={p.path} href={href(p.path)} aria-current={p === page ? 'page' : undefined}>{p.title}</a>)}
        </nav>
        <OpenDocument />
        <Button look="quiet" className="ask" keys="Ctrl K" onClick={() => setPalette(true)}>Commands <kbd>Ctrl K</kbd></Button>
        <Button look="quiet" title="Light or dark" aria-label="Light or dark" onClick={() => chooseTheme(isDark() ? 'light' : 'dark')}>◐</Button>
      </header>
      <EngineNotice />
      <main id="main" ref={main} tabIndex={-1}>
        <Boundary key={page.path}>
          <Suspense fallback={<p className="page quiet">Loading…</p>}><page.Body /></Suspense>
        </Boundary>
      </main>
      <Notices />
      {palette && <Palette onClose={() => setPalette(false)} />}
    </div>
  );
}

// OpenDocument says on every page what is open and whether it runs.
function OpenDocument() {
  const title = useStore((s) => s.doc?.title);
  const verdict = useVerdict();
  if (title === undefined) return <div className="grow" />;
  return (
    <a className="open grow" href={href('/model')} title={`${title}: open the Model page`}>
      <span className="clip">{title}</span>
      <Verdict answer={verdict.answer} pending={verdict.pending} problem={verdict.error?.message} at={verdict.count} />
    </a>
  );
}

function EngineNotice() {
  const state = useEngineState();
  if (state !== 'missing' && state !== 'failed') return null;
  return <div className="notice block" role="alert">{engine.problem} What you edit is kept in this browser.</div>;
}

function useShellCommands(openPalette: () => void) {
  const canUndo = useStore((s) => s.past.at(-1)?.what);
  const canRedo = useStore((s) => s.future.at(-1)?.what);
  useCommands([
    { id: 'palette', group: 'App', title: 'Show all commands', keys: 'Ctrl K', run: openPalette },
    { id: 'undo', group: 'Edit', title: canUndo ? `Undo: ${canUndo}` : 'Undo', keys: 'Ctrl Z', enabled: canUndo !== undefined, run: undo },
    { id: 'redo', group: 'Edit', title: canRedo ? `Redo: ${canRedo}` : 'Redo', keys: 'Ctrl Shift Z', enabled: canRedo !== undefined, run: redo },
    { id: 'redo-y', group: 'Edit', title: 'Redo', keys: 'Ctrl Y', enabled: canRedo !== undefined, run: redo },
    ...pages.map((p) => ({ id: `go${p.path}`, group: 'Go to', title: p.title, keys: `g ${p.key}`, run: () => navigate(p.path) })),
    { id: 'light', group: 'App', title: 'Use the light theme', run: () => chooseTheme('light') },
    { id: 'dark', group: 'App', title: 'Use the dark theme', run: () => chooseTheme('dark') },
    { id: 'system', group: 'App', title: 'Use the theme of the system', run: () => chooseTheme('system') },
    { id: 'restart', group: 'App', title: 'Start the engine anew', run: () => engine.restart() },
  ]);
}
