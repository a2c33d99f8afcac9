import { type Html, html } from './html.ts';

export const INK = '#2b2622';
export const FAINT = '#786e64';
export const PAPER = '#fbf9f5';

export interface TextStyle {
  readonly size: number;
  readonly fill?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

/** A line of SVG text; the content is escaped. */
export function text(x: number, y: number, content: string, style: TextStyle): Html {
  const { size, fill = INK, anchor = 'start' } = style;
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${content}</text>`;
}
