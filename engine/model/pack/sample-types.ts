export const SAMPLE_TYPES = ['float32', 'int16', 'uint16', 'uint8'] as const;
export type SampleType = (typeof SAMPLE_TYPES)[number];

const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

export const SAMPLE_RANGES: Readonly<Record<SampleType, readonly [min: number, max: number]>> = {
  float32: [-MAX_FLOAT32, MAX_FLOAT32],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  uint16: [0, 2 ** 16 - 1],
  uint8: [0, 2 ** 8 - 1],
};

export function describeRange(type: SampleType): string {
  const [min, max] = SAMPLE_RANGES[type];
  return type === 'float32' ? '32-bit floats' : `whole numbers from ${min} to ${max}`;
}

/** Whether a cell can hold this exact number. */
export function isSample(type: SampleType, value: number): boolean {
  const [min, max] = SAMPLE_RANGES[type];
  const exact = type === 'float32' ? Math.fround(value) : Math.round(value);
  return value === exact && value >= min && value <= max;
}
