import type { Band, Manifest } from './manifest.ts';
import { describeRange, SAMPLE_RANGES, type SampleType } from './sample-types.ts';

export type Samples = Float32Array | Int16Array | Uint16Array | Uint8Array;

/** Encodes a value of the band without a range check. Halves round up. */
export function toSample(
  type: SampleType,
  { scale = 1, offset = 0 }: Pick<Band, 'scale' | 'offset'>,
  value: number,
): number {
  return type === 'float32' ? Math.fround(value) : Math.round((value - offset) / scale);
}

class ValueNotStorable extends Error {
  override readonly name = 'ValueNotStorable';
}

/**
 * The returned function throws {@link ValueNotStorable} for a value outside the sample type's
 * range, a value that would equal nodata, and NaN.
 */
export function createSampleEncoder(
  { raster, nodata }: Pick<Manifest, 'raster' | 'nodata'>,
  band: Band,
): (value: number) => number {
  const type = raster.sample_type;
  const [min, max] = SAMPLE_RANGES[type];
  return (value) => {
    const stored = toSample(type, band, value);
    if (stored >= min && stored <= max && stored !== nodata) return stored;
    const as = type === 'float32' ? '' : `, stored as ${stored}`;
    const why =
      stored === nodata ? 'this number means nodata' : `${type} holds ${describeRange(type)}`;
    throw new ValueNotStorable(`band "${band.name}" has the value ${value}${as}: ${why}`);
  };
}

export function createEmptySamples(type: SampleType, count: number, nodata: number): Samples {
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
