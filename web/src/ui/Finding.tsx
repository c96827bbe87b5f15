import { memo } from 'react';
import type { LintFinding } from '../engine/types';
import { Button } from './Button';
import { Glyph } from './Glyph';

const severities = { block: 'Error', warn: 'Warning', info: 'Note' } as const;

interface Props {
  finding: LintFinding;
  onFix?: ((finding: LintFinding) => void) | undefined;
  onShow?: ((finding: LintFinding) => void) | undefined;
}

// Finding is one thing that was found: how bad, what, where, the rule's page, and the fix as a button.
export const Finding = memo(function Finding({ finding, onFix, onShow }: Props) {
  const { severity, message, component, componentName, componentType, rule, fix, edit } = finding;
  return (
    <li className="finding">
      <span className={`tone-${severity}`}><Glyph name={severity} /></span>
      <div className="body">
        <div className="message"><b className={`tone-${severity}`}>{severities[severity]}.</b> {message}</div>
        <div className="where">
          {component && onShow
            ? <button className="linkish" onClick={() => onShow(finding)}>{componentName || component}</button>
            : componentName && <span>{componentName}</span>}
          {componentType && <span className="mono">{componentType}</span>}
          <a href={`/r/${encodeURIComponent(rule)}.html`} target="_blank" rel="noreferrer">{rule}</a>
        </div>
        {edit?.length && onFix
          ? <div><Button look="fix" onClick={() => onFix(finding)}>{fix ? fix.charAt(0).toUpperCase() + fix.slice(1) : 'Apply the fix'}</Button></div>
          : fix && <div className="quiet">{fix}</div>}
      </div>
    </li>
  );
});
