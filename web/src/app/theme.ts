// The theme follows the system unless somebody chose one.
export type Theme = 'system' | 'light' | 'dark';
const key = 'theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

export function theme(): Theme {
  try {
    const kept = localStorage.getItem(key);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

function show() {
  const now = theme();
  document.documentElement.dataset.theme = now === 'system' ? (system.matches ? 'dark' : 'light') : now;
}

export function chooseTheme(to: Theme) {
  try {
    localStorage.setItem(key, to);
  } catch {
    // A browser that keeps nothing follows the system.
  }
  show();
}

export const isDark = () => document.documentElement.dataset.theme === 'dark';

export function followTheme() {
  show();
  system.addEventListener('change', show);
}
