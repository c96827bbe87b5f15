import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followKeys } from './app/commands';
import { Shell } from './app/Shell';
import { followTheme } from './app/theme';
import { engine, files } from './engine/client';
import { keepDrafts } from './state/drafts';
import { notify } from './state/store';
import { followVerdict } from './state/verdict';
import './ui/tokens.css';
import './ui/base.css';
import './app/shell.css';

followTheme();
followKeys();
followVerdict();
keepDrafts();
for (const module of [engine, files]) module.onTrap = (trapped) => notify('warn', trapped.message);
engine.start();

const root = document.getElementById('root');
if (root) createRoot(root).render(<StrictMode><Shell /></StrictMode>);
