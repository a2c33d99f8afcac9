/** Whether this is the suite `long`. */
export const isNight = process.env['EVERY_RUN'] !== undefined;

/** Runs of a long property: a quarter of them, except at night (suite `long`). */
export function runs(atNight: number): number {
  return isNight ? atNight : Math.ceil(atNight / 4);
}

/** Every third case, except at night: next to each case that is left out is one that is not. */
export function chooseSome<T>(cases: readonly T[]): readonly T[] {
  return isNight ? cases : cases.filter((_, index) => index % 3 === 0);
}
