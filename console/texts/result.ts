export const RESULT = {
  title: 'Result',
  waiting: 'Reading the result …',
  none: 'This job has no result.',
  back: 'Back to the batch',
  band: 'Shown on the map',
  width: (level: number) => `Width of the ${level} % interval`,
  point: 'Point at a cell to read its value.',
  value: (value: string, level: number, low: string, high: string) =>
    `${value}, ${level} % interval ${low} to ${high}`,
  mean: (mean: string, range: { level: number; low: string; high: string } | null) =>
    range === null
      ? `Mean of the field: ${mean}.`
      : `Mean of the field: ${mean} (${range.level} % interval ${range.low} to ${range.high}).`,
  download: 'Download the GeoTIFF',
} as const;
