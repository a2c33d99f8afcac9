/** One number of each cell of each band, by TIFF's names for it. */
export const SAMPLE_TYPES = ['float32', 'int16', 'uint16', 'uint8'] as const;
export type SampleType = (typeof SAMPLE_TYPES)[number];

export type SampleArray = Float32Array | Int16Array | Uint16Array | Uint8Array;

interface SampleTraits {
  readonly bytes: number;
  /** SampleFormat (tag 339, TIFF 6.0 section 19): 1 unsigned, 2 signed, 3 IEEE floating point. */
  readonly format: 1 | 2 | 3;
  /** Predictor (tag 317): 2 differences of neighbours, 3 the same byte by byte, for floats. */
  readonly predictor: 2 | 3;
  readonly least: number;
  readonly most: number;
}

const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

export const SAMPLES: Readonly<Record<SampleType, SampleTraits>> = {
  float32: { bytes: 4, format: 3, predictor: 3, least: -MAX_FLOAT32, most: MAX_FLOAT32 },
  int16: { bytes: 2, format: 2, predictor: 2, least: -(2 ** 15), most: 2 ** 15 - 1 },
  uint16: { bytes: 2, format: 1, predictor: 2, least: 0, most: 2 ** 16 - 1 },
  uint8: { bytes: 1, format: 1, predictor: 2, least: 0, most: 2 ** 8 - 1 },
};

export function samplesOf(type: SampleType, count: number): SampleArray {
  switch (type) {
    case 'float32':
      return new Float32Array(count);
    case 'int16':
      return new Int16Array(count);
    case 'uint16':
      return new Uint16Array(count);
    case 'uint8':
      return new Uint8Array(count);
  }
}

export function sampleTypeOf(samples: SampleArray): SampleType {
  if (samples instanceof Float32Array) return 'float32';
  if (samples instanceof Int16Array) return 'int16';
  return samples instanceof Uint16Array ? 'uint16' : 'uint8';
}

/** Samples that lie in memory that is there already. */
export function samplesIn(
  type: SampleType,
  room: ArrayBuffer,
  offset: number,
  count: number,
): SampleArray {
  switch (type) {
    case 'float32':
      return new Float32Array(room, offset, count);
    case 'int16':
      return new Int16Array(room, offset, count);
    case 'uint16':
      return new Uint16Array(room, offset, count);
    case 'uint8':
      return new Uint8Array(room, offset, count);
  }
}

export function bytesOf(samples: SampleArray): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/**
 * The value as a sample holds it.
 * @throws RangeError where the type has no such number: nodata must be one that cells can hold
 */
export function asSample(type: SampleType, value: number): number {
  const stored = type === 'float32' ? Math.fround(value) : value;
  const { least, most } = SAMPLES[type];
  const holds = type === 'float32' ? Number.isFinite(stored) : Number.isInteger(stored);
  if (holds && stored >= least && stored <= most) return stored;
  throw new RangeError(`${value} is no ${type} (${least} to ${most})`);
}

/** The type's number next above `value`; below it where that is the greatest. */
export function sampleBeside(type: SampleType, value: number): number {
  const { most } = SAMPLES[type];
  if (type !== 'float32') return value < most ? value + 1 : value - 1;
  // The bits of neighbouring floats are neighbouring integers (IEEE 754), away from zero going up.
  const float = Float32Array.of(value);
  const bits = new Int32Array(float.buffer);
  if (value === 0) return 2 ** -149;
  bits[0] = (bits[0] ?? 0) + (value > 0 && value < most ? 1 : -1);
  return float[0] ?? value;
}
