import { Drafts } from './Drafts';
import { OpenZone } from './OpenZone';
import { Promises } from './Promises';
import { WellKnown } from './WellKnown';
import './start.css';

export default function StartPage() {
  return (
    <div className="page start">
      <OpenZone />
      <WellKnown />
      <Drafts />
      <Promises />
    </div>
  );
}
