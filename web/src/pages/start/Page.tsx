import { useEffect } from 'react';
import { prepare as fetchPage } from '../../app/pages';
import { warm } from '../../state/drawing';
import { Drafts } from './Drafts';
import { OpenZone } from './OpenZone';
import { Promises } from './Promises';
import { WellKnown } from './WellKnown';
import './start.css';

// prepare fetches the Model page and warms the engine while a person looks around, so that a dropped file is drawn at once.
let prepared = false;
function prepare() {
  if (prepared) return;
  prepared = true;
  void fetchPage('/model').catch(() => undefined); // it is asked for again when it is shown
  void warm().catch(() => (prepared = false)); // an engine that does not start says so by itself
}

export default function StartPage() {
  useEffect(() => {
    const timer = window.setTimeout(prepare, 50);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div className="page start">
      <OpenZone />
      <WellKnown />
      <Drafts />
      <Promises />
    </div>
  );
}
