/** Runs of a long property: a quarter of them, except at night (`npm run test:long`). */
export function runs(atNight: number): number {
  return process.env['EVERY_RUN'] === undefined ? Math.ceil(atNight / 4) : atNight;
}
