/** Whether this run is the suite `long`, which runs at night. */
export const isNight = process.env['EVERY_RUN'] !== undefined;

/** Returns the number of runs of a long property: a quarter of `atNight`, except at night. */
export function runs(atNight: number): number {
  return isNight ? atNight : Math.ceil(atNight / 4);
}

/** Returns every third case, or all at night. */
export function chooseSome<T>(cases: readonly T[]): readonly T[] {
  return isNight ? cases : cases.filter((_, index) => index % 3 === 0);
}
