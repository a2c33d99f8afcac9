export const SAMPLE_TYPES = ['float32', 'int16', 'uint16', 'uint8'] as const;
export type SampleType = (typeof SAMPLE_TYPES)[number];

export type SampleArray = Float32Array | Int16Array | Uint16Array | Uint8Array;

interface SampleTraits {
  readonly bytes: number;
  /** SampleFormat (tag 339, TIFF 6.0 section 19): 1 unsigned, 2 signed, 3 IEEE floating point. */
  readonly format: 1 | 2 | 3;
  /** Predictor (tag 317): 2 horizontal differencing, 3 the same byte by byte, for floats. */
  readonly predictor: 2 | 3;
  readonly min: number;
  readonly max: number;
}

const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

export const SAMPLES: Readonly<Record<SampleType, SampleTraits>> = {
  float32: { bytes: 4, format: 3, predictor: 3, min: -MAX_FLOAT32, max: MAX_FLOAT32 },
  int16: { bytes: 2, format: 2, predictor: 2, min: -(2 ** 15), max: 2 ** 15 - 1 },
  uint16: { bytes: 2, format: 1, predictor: 2, min: 0, max: 2 ** 16 - 1 },
  uint8: { bytes: 1, format: 1, predictor: 2, min: 0, max: 2 ** 8 - 1 },
};

export function createSamples(type: SampleType, count: number): SampleArray {
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

export function viewSamples(
  type: SampleType,
  memory: ArrayBuffer,
  offset: number,
  count: number,
): SampleArray {
  switch (type) {
    case 'float32':
      return new Float32Array(memory, offset, count);
    case 'int16':
      return new Int16Array(memory, offset, count);
    case 'uint16':
      return new Uint16Array(memory, offset, count);
    case 'uint8':
      return new Uint8Array(memory, offset, count);
  }
}

export function viewBytes(samples: SampleArray): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** @throws RangeError if the type cannot hold the value */
export function roundToSample(type: SampleType, value: number): number {
  const stored = type === 'float32' ? Math.fround(value) : value;
  const { min, max } = SAMPLES[type];
  const holds = type === 'float32' ? Number.isFinite(stored) : Number.isInteger(stored);
  if (holds && stored >= min && stored <= max) return stored;
  throw new RangeError(`${value} cannot be stored as ${type} (${min} to ${max})`);
}

/** The type's next number above `value`, or the number below it if `value` is the maximum. */
export function adjacentSample(type: SampleType, value: number): number {
  const { max } = SAMPLES[type];
  if (type !== 'float32') return value < max ? value + 1 : value - 1;
  // Adjacent floats have adjacent bit patterns, which increase away from zero (IEEE 754).
  const float = Float32Array.of(value);
  const bits = new Int32Array(float.buffer);
  if (value === 0) return 2 ** -149;
  bits[0] = (bits[0] ?? 0) + (value > 0 && value < max ? 1 : -1);
  return float[0] ?? value;
}
