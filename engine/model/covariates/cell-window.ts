/** A rectangle of the pack's grid: columns from the west, rows from the north, both from 0. */
export interface CellWindow {
  readonly col: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}
