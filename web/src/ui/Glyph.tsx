const paths = {
  block: 'M8 1.5L14.5 14h-13zM8 6v4M8 12v.2',
  warn: 'M8 1.5L14.5 14h-13zM8 6v4M8 12v.2',
  info: 'M8 1.7a6.3 6.3 0 110 12.6 6.3 6.3 0 010-12.6zM8 7.2v4M8 4.8v.2',
  good: 'M2.5 8.5l3.7 3.7 7.3-8',
  stop: 'M5 1.7h6L14.3 5v6L11 14.3H5L1.7 11V5zM5.5 5.5l5 5M10.5 5.5l-5 5',
  unknown: 'M5.5 6a2.5 2.5 0 113.6 2.2C8.3 8.6 8 9 8 10M8 12.6v.2',
  work: 'M8 2a6 6 0 106 6',
} as const;

export type GlyphName = keyof typeof paths;

// Glyph is drawn beside the word that says the same, so it is hidden from screen readers.
export function Glyph({ name }: { name: GlyphName }) {
  return (
    <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name === 'block' ? 'stop' : name]} />
    </svg>
  );
}
