// The pages, in the order of the navigation. To add one: a folder with a Page.tsx, and a line here.
import { lazy, type ComponentType } from 'react';

export interface Page {
  path: string;
  title: string;
  key: string; // g and this key lead to the page
  Body: ComponentType;
  full?: boolean; // the page has the whole window, and scrolls within
}

export const pages: Page[] = [
  { path: '/', title: 'Start', key: 's', Body: lazy(() => import('../pages/start/Page')) },
  { path: '/model', title: 'Model', key: 'm', full: true, Body: lazy(() => import('../pages/model/Page')) },
  { path: '/plan', title: 'Plan', key: 'p', Body: lazy(() => import('../pages/plan/Page')) },
  { path: '/compare', title: 'Compare', key: 'c', Body: lazy(() => import('../pages/compare/Page')) },
  { path: '/serve', title: 'Serve', key: 'v', Body: lazy(() => import('../pages/serve/Page')) },
  { path: '/runs', title: 'Runs', key: 'r', Body: lazy(() => import('../pages/runs/Page')) },
];
