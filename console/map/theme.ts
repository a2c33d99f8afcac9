const dark = matchMedia('(prefers-color-scheme: dark)');

/** The colours in `style/colours.css`. */
export type ColourName =
  | 'coverage'
  | 'sea'
  | 'land'
  | 'border'
  | 'draft'
  | 'pending'
  | 'processing'
  | 'completed'
  | 'failed'
  | 'casing'
  | 'text'
  | 'muted';

/**
 * Colours of the present theme, cached because computing a style for each field in each frame takes too long.
 */
const computed = new Map<ColourName, string>();
dark.addEventListener('change', () => computed.clear());

export function readColour(name: ColourName): string {
  const known = computed.get(name);
  if (known !== undefined) return known;
  const read = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  computed.set(name, read);
  return read;
}

/** Calls the listener when the system changes between dark and light. @returns a function that stops listening */
export function onTheme(listener: () => void): () => void {
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
}
