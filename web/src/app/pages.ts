// The pages, in the order of the navigation. To add one: a folder with a Page.tsx, and a line here.
import { createElement, lazy, useState, type ComponentType } from 'react';

export interface Page {
  path: string;
  title: string;
  key: string; // g and this key lead to the page
  Body: ComponentType;
  load: () => Promise<unknown>; // fetches what the page is made of, before it is shown
  full?: boolean; // the page has the whole window, and scrolls within
}

// loaded is a page that is fetched when it is first shown. One that is here already is shown at once: a lazy component would show its
// stand-in first, and React leaves a stand-in on the screen for 300 ms.
function loaded(fetch: () => Promise<{ default: ComponentType }>): Pick<Page, 'Body' | 'load'> {
  let here: ComponentType | undefined;
  const load = async () => {
    const module = await fetch();
    here = module.default;
    return module;
  };
  const Later = lazy(load);
  const Body = () => {
    const [Now] = useState<ComponentType>(() => here ?? Later);
    return createElement(Now);
  };
  return { Body, load };
}

export const pages: Page[] = [
  { path: '/', title: 'Start', key: 's', ...loaded(() => import('../pages/start/Page')) },
  { path: '/model', title: 'Model', key: 'm', full: true, ...loaded(() => import('../pages/model/Page')) },
  { path: '/plan', title: 'Plan', key: 'p', ...loaded(() => import('../pages/plan/Page')) },
  { path: '/compare', title: 'Compare', key: 'c', ...loaded(() => import('../pages/compare/Page')) },
  { path: '/serve', title: 'Serve', key: 'v', ...loaded(() => import('../pages/serve/Page')) },
  { path: '/runs', title: 'Runs', key: 'r', ...loaded(() => import('../pages/runs/Page')) },
];

// prepare fetches a page that is likely to be shown next.
export const prepare = (path: string) => pages.find((p) => p.path === path)?.load() ?? Promise.resolve();
