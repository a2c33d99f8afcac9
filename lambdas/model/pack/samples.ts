import type { Band, Manifest } from './manifest.ts';
import { describeRange, SAMPLE_RANGES, type SampleType } from './sample-types.ts';

export type Samples = Float32Array | Int16Array | Uint16Array | Uint8Array;

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
  const [least, most] = SAMPLE_RANGES[type];
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
