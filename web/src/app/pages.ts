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
];
