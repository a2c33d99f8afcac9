/** What a cell of a result may be, by TIFF's names. */
export const SAMPLE_TYPES = ['float32', 'int16', 'uint16', 'uint8'] as const;
export type SampleType = (typeof SAMPLE_TYPES)[number];

const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

export const SAMPLE_RANGES: Readonly<Record<SampleType, readonly [least: number, most: number]>> = {
  float32: [-MAX_FLOAT32, MAX_FLOAT32],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  uint16: [0, 2 ** 16 - 1],
  uint8: [0, 2 ** 8 - 1],
};

export function describeRange(type: SampleType): string {
  const [least, most] = SAMPLE_RANGES[type];
  return type === 'float32' ? 'numbers of 32 bits' : `whole numbers from ${least} to ${most}`;
}

/** Whether a cell can hold exactly this number. */
export function isSample(type: SampleType, value: number): boolean {
  const [least, most] = SAMPLE_RANGES[type];
  const exact = type === 'float32' ? Math.fround(value) : Math.round(value);
  return value === exact && value >= least && value <= most;
}
