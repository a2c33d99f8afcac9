/** On a screen this narrow, `style/page.css` puts the map above the panel. */
export const NARROW = matchMedia('(max-width: 47.99rem)');

/** The primary way in which the page is pointed at. */
export function pointer(): 'mouse' | 'touch' {
  return matchMedia('(pointer: coarse)').matches ? 'touch' : 'mouse';
}
