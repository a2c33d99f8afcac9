import { PNG } from 'pngjs';
import { colourAt, type Rgb } from '#engine/display/colour-ramp.ts';
import type { DisplayRange } from '#engine/model/display-range.ts';

/** So few colours compress well, and neighbours differ by less than the eye sees. */
const COLOURS: readonly Rgb[] = Array.from({ length: 256 }, (_, i) => colourAt(i / 255));

/** One pixel a cell, row by row; NaN is transparent. A data URL. */
export function cellsPng(
  values: ArrayLike<number>,
  size: { readonly width: number; readonly height: number },
  [low, high]: DisplayRange,
): string {
  const png = new PNG({ width: size.width, height: size.height });
  for (let i = 0; i < values.length; i += 1) {
    const place = Math.round((((values[i] ?? Number.NaN) - low) / (high - low)) * 255);
    const colour = COLOURS[Math.min(Math.max(place, 0), 255)];
    if (colour !== undefined) png.data.set([...colour, 255], i * 4);
  }
  return `data:image/png;base64,${PNG.sync.write(png).toString('base64')}`;
}
