import { encode } from 'fast-png';
import { colourAt, formatHexColour, RAMP_STOPS, type Rgb } from '#engine/display/colour-ramp.ts';
import { chooseRoundTicks } from '#engine/display/round-ticks.ts';
import { formatUnit } from '#engine/display/unit-text.ts';
import type { DisplayRange } from '#engine/model/display-range.ts';
import { type Html, html } from './html.ts';

const INK = '#2b2622';
export const FAINT = '#786e64';
export const PAPER = '#fbf9f5';

interface TextStyle {
  readonly size: number;
  readonly fill?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

export function text(x: number, y: number, content: string, style: TextStyle): Html {
  const { size, fill = INK, anchor = 'start' } = style;
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${content}</text>`;
}

const HEIGHT = 14;

/** The unit is in UDUNITS spelling. */
export function legend(
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  range: DisplayRange,
  unit: string,
): Html {
  const [low, high] = range;
  return html`<defs><linearGradient id="scale">${RAMP_STOPS.map(
    ({ fraction, colour }) =>
      html`<stop offset="${fraction}" stop-color="${formatHexColour(colour)}"/>`,
  )}</linearGradient></defs>
<rect x="${x}" y="${y}" width="${width}" height="${HEIGHT}" fill="url(#scale)"/>
${chooseRoundTicks(range).map((tick) => {
  const at = x + ((tick - low) / (high - low)) * width;
  return html`${text(at, y + HEIGHT + 18, String(tick), { size: 12, anchor: 'middle' })}
`;
})}${text(x + width / 2, y + HEIGHT + 36, formatUnit(unit), { size: 12, fill: FAINT, anchor: 'middle' })}`;
}

/** The length is 1, 2 or 5 × 10ⁿ metres, and the bar at most `width` pixels long. */
export function scaleBar(
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  metresPerPixel: number,
): Html {
  const longest = width * metresPerPixel;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = [5, 2, 1].map((factor) => factor * power).find((m) => m <= longest) ?? power;
  const pixels = metres / metresPerPixel;
  return html`<path d="M${x} ${y - 6}v6h${pixels}v-6" fill="none" stroke="${INK}" stroke-width="1.5"/>
${text(x, y + 18, formatLength(metres), { size: 12 })}`;
}

function formatLength(metres: number): string {
  if (metres >= 1000) return `${metres / 1000} km`;
  return metres >= 1 ? `${metres} m` : `${Number((metres * 100).toPrecision(6))} cm`;
}

/** A picture with only 256 colours compresses well, and the eye cannot tell neighbouring colours apart. */
const COLOURS: readonly Rgb[] = Array.from({ length: 256 }, (_, i) => colourAt(i / 255));

/** Draws one pixel per cell, row by row, with NaN transparent. @returns a data URL */
export function cellsPng(
  values: ArrayLike<number>,
  size: { readonly width: number; readonly height: number },
  [low, high]: DisplayRange,
): string {
  const data = new Uint8Array(4 * values.length);
  for (let i = 0; i < values.length; i += 1) {
    const place = Math.round((((values[i] ?? Number.NaN) - low) / (high - low)) * 255);
    const colour = COLOURS[Math.min(Math.max(place, 0), 255)];
    if (colour !== undefined) data.set([...colour, 255], i * 4);
  }
  const png = encode({ ...size, data, channels: 4 });
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
}
