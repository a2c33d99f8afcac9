/** Formats a number for CSV, NaN as an empty field. Nine digits distinguish any two float32 values. */
export function tableCell(value: number): string {
  return Number.isNaN(value) ? '' : String(Number(value.toPrecision(9)));
}
