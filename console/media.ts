/** On a screen this narrow, `style/page.css` puts the map above the panel. */
export const NARROW = matchMedia('(max-width: 47.99rem)');

export function pointer(): 'mouse' | 'touch' {
  return matchMedia('(pointer: coarse)').matches ? 'touch' : 'mouse';
}
