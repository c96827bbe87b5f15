import { dismiss, useStore } from '../state/store';
import { Button } from '../ui/Button';

export function Notices() {
  const notices = useStore((s) => s.notices);
  return (
    <div className="notices" aria-live="polite" role="status">
      {notices.map((n) => (
        <div key={n.id} className={`notice panel-notice ${n.tone}`}>
          <span className="grow">{n.text}</span>
          {n.action && <Button small onClick={() => { n.action?.run(); dismiss(n.id); }}>{n.action.label}</Button>}
          <Button small look="quiet" aria-label="Dismiss" onClick={() => dismiss(n.id)}>✕</Button>
        </div>
      ))}
    </div>
  );
}
