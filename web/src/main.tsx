import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followKeys } from './app/commands';
import { Shell } from './app/Shell';
import { followTheme } from './app/theme';
import { engine } from './engine/client';
import { keepDrafts } from './state/drafts';
import { followVerdict } from './state/verdict';
import './ui/tokens.css';
import './ui/base.css';
import './app/shell.css';

followTheme();
followKeys();
followVerdict();
keepDrafts();
engine.start();

const root = document.getElementById('root');
if (root) createRoot(root).render(<StrictMode><Shell /></StrictMode>);
