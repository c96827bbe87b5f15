import { OpenZone } from './OpenZone';
import { WellKnown } from './WellKnown';
import './start.css';

export default function StartPage() {
  return (
    <div className="page start">
      <OpenZone />
      <WellKnown />
    </div>
  );
}
