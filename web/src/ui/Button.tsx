import type { ButtonHTMLAttributes } from 'react';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'primary' | 'quiet' | 'fix';
  small?: boolean;
  keys?: string; // the key that does the same, shown on hover and told to screen readers
}

export function Button({ look = 'plain', small = false, keys, className = '', title, ...rest }: Props) {
  const classes = `button ${look === 'plain' ? '' : look} ${small ? 'small' : ''} ${className}`;
  const hover = keys ? `${title ?? ''} (${keys})`.trim() : title;
  return <button type="button" className={classes} title={hover} aria-keyshortcuts={keys?.replace('Ctrl ', 'Control+')} {...rest} />;
}
