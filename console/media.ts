/** Where `style/page.css` puts the map above the panel. */
export const NARROW = matchMedia('(max-width: 47.99rem)');

/** By what the page is used in the first place. */
export function pointer(): 'mouse' | 'touch' {
  return matchMedia('(pointer: coarse)').matches ? 'touch' : 'mouse';
}
