/** The raster of a result could not be fetched, or is no GeoTIFF. */
export class RasterUnreadable extends Error {}
