const dark = matchMedia('(prefers-color-scheme: dark)');

/** The names of the colours in `style/colours.css`. */
export type ColourName =
  | 'coverage'
  | 'draft'
  | 'pending'
  | 'processing'
  | 'completed'
  | 'failed'
  | 'casing'
  | 'text'
  | 'muted';

/** A colour of the style sheet, for what the map draws itself. */
export function colour(name: ColourName): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls the listener when the system changes between dark and light. */
export function onTheme(listener: () => void): void {
  dark.addEventListener('change', listener);
}
