import { createPortal } from 'react-dom';
import { useConnecting } from './connecting';

// ConnectingLine is the line that follows the pointer, with the reason where a target is not legal.
export function ConnectingLine() {
  const connecting = useConnecting();
  if (!connecting?.line) return null;
  const { line, over, targets, from } = connecting;
  const illegal = over && over !== from && targets && !targets.legal.includes(over);
  return createPortal(
    <>
      <svg className="connecting" aria-hidden="true"><line {...line} className={illegal ? 'illegal' : ''} /></svg>
      {illegal && <div className="connecting-why notice warn" style={{ left: line.x2 + 14, top: line.y2 + 14 }}>{targets.why[over] ?? 'Not legal'}</div>}
    </>,
    document.body,
  );
}
