import { useSyncExternalStore } from 'react';

// A route is what stands behind the # of the address, which no browser sends: #/model?select=fc2
export interface Route {
  path: string;
  params: URLSearchParams;
}

let seen = '';
let route: Route = { path: '/', params: new URLSearchParams() };

function read(): Route {
  const hash = window.location.hash;
  if (hash !== seen || hash === '') {
    const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
    if (hash !== seen || route.path !== (path || '/')) route = { path: path || '/', params: new URLSearchParams(query) };
    seen = hash;
  }
  return route;
}

function subscribe(listener: () => void) {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

export const useRoute = () => useSyncExternalStore(subscribe, read);
export const currentRoute = read;

export function href(path: string, params?: Record<string, string>): string {
  const query = params ? new URLSearchParams(params).toString() : '';
  return `#${path}${query ? `?${query}` : ''}`;
}

export function navigate(path: string, params?: Record<string, string>, how: 'push' | 'replace' = 'push') {
  const to = href(path, params);
  if (how === 'push') window.location.hash = to;
  else {
    window.history.replaceState(null, '', to);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  }
}
