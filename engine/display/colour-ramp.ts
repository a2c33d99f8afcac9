export type Rgb = readonly [red: number, green: number, blue: number];

/**
 * YlOrBr in nine classes: sequential, and safe for colour-blind readers.
 * Colours from ColorBrewer 2.0 (https://colorbrewer2.org) by Cynthia A. Brewer, Apache-2.0.
 */
const YL_OR_BR: readonly Rgb[] = [
  [255, 255, 229],
  [255, 247, 188],
  [254, 227, 145],
  [254, 196, 79],
  [254, 153, 41],
  [236, 112, 20],
  [204, 76, 2],
  [153, 52, 4],
  [102, 37, 6],
];

/** The colour at a fraction from 0 (low) to 1 (high). Colours between two stops are interpolated. */
export interface RampStop {
  readonly fraction: number;
  readonly colour: Rgb;
}

export const RAMP_STOPS: readonly RampStop[] = YL_OR_BR.map((colour, i) => ({
  fraction: i / (YL_OR_BR.length - 1),
  colour,
}));

/**
 * Interpolates linearly between the stops. A fraction outside 0 to 1 gets the colour of the nearer
 * end.
 */
export function colourAt(fraction: number): Rgb {
  const place = Math.min(Math.max(fraction, 0), 1) * (YL_OR_BR.length - 1);
  const below = Math.min(Math.floor(place), YL_OR_BR.length - 2);
  const [from, to] = [YL_OR_BR[below] ?? BLACK, YL_OR_BR[below + 1] ?? BLACK];
  const mixChannel = (i: 0 | 1 | 2): number =>
    Math.round(from[i] + (to[i] - from[i]) * (place - below));
  return [mixChannel(0), mixChannel(1), mixChannel(2)];
}

const BLACK: Rgb = [0, 0, 0];

export function formatHexColour(colour: Rgb): string {
  return `#${colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
