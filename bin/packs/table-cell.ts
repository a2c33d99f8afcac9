/** A number in a table; nothing for none. Nine digits tell any two float32 apart. */
export function tableCell(value: number): string {
  return Number.isNaN(value) ? '' : String(Number(value.toPrecision(9)));
}
