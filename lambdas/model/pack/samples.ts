import type { Band, Manifest } from './manifest.ts';

/** What a cell of a result may be, by TIFF's names. */
export const SAMPLE_TYPES = ['float32', 'int16', 'uint16', 'uint8'] as const;
export type SampleType = (typeof SAMPLE_TYPES)[number];
export type Samples = Float32Array | Int16Array | Uint16Array | Uint8Array;

const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

const RANGES: Readonly<Record<SampleType, readonly [least: number, most: number]>> = {
  float32: [-MAX_FLOAT32, MAX_FLOAT32],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  uint16: [0, 2 ** 16 - 1],
  uint8: [0, 2 ** 8 - 1],
};

export function describeRange(type: SampleType): string {
  const [least, most] = RANGES[type];
  return type === 'float32' ? 'numbers of 32 bits' : `whole numbers from ${least} to ${most}`;
}

/** Whether a cell can hold exactly this number. */
export function isSample(type: SampleType, value: number): boolean {
  const [least, most] = RANGES[type];
  const exact = type === 'float32' ? Math.fround(value) : Math.round(value);
  return value === exact && value >= least && value <= most;
}

/** What a cell would hold for a value of the band, whether it can or not. Halves go up. */
export function storedAs(
  type: SampleType,
  { scale = 1, offset = 0 }: Pick<Band, 'scale' | 'offset'>,
  value: number,
): number {
  return type === 'float32' ? Math.fround(value) : Math.round((value - offset) / scale);
}

/** A prediction that the pack's raster has no number for; a wrong one in its place would be a lie. */
export class ValueNotStorable extends Error {
  override readonly name = 'ValueNotStorable';
}

/**
 * Turns a band's values into what its cells hold.
 * The function given throws {@link ValueNotStorable} at a value beyond the sample type's range, at one that
 * would read as nodata, and at one that is no number.
 */
export function samplesOfBand(
  { raster, nodata }: Pick<Manifest, 'raster' | 'nodata'>,
  band: Band,
): (value: number) => number {
  const type = raster.sample_type;
  const [least, most] = RANGES[type];
  return (value) => {
    const stored = storedAs(type, band, value);
    if (stored >= least && stored <= most && stored !== nodata) return stored;
    const as = type === 'float32' ? '' : `, stored as ${stored}`;
    const why = stored === nodata ? 'it is nodata' : `${type} holds ${describeRange(type)}`;
    throw new ValueNotStorable(`band "${band.name}" has the value ${value}${as}: ${why}`);
  };
}

export function emptySamples(type: SampleType, count: number, nodata: number): Samples {
  switch (type) {
    case 'float32':
      return new Float32Array(count).fill(nodata);
    case 'int16':
      return new Int16Array(count).fill(nodata);
    case 'uint16':
      return new Uint16Array(count).fill(nodata);
    case 'uint8':
      return new Uint8Array(count).fill(nodata);
  }
}
