export type RasterFault =
  /** It could not be fetched, or it is not an intact GeoTIFF. */
  | 'unreadable'
  /** It is not in the reference system of its model. */
  | 'misplaced';

export class RasterUnreadable extends Error {
  constructor(readonly fault: RasterFault = 'unreadable') {
    super(fault);
  }
}
