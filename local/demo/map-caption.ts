import * as z from 'zod';

/** What stands around a map, for a reader. */
export interface MapCaption {
  readonly title: string;
  readonly subtitle: string;
  /** E.g. "kg/m³". */
  readonly unit: string;
}

/** What every result says of its making, as items of its GDAL metadata. */
const tags = z.object({
  PROPERTY: z.string(),
  DEPTH_CM: z.string(),
  UNIT: z.string(),
  MODEL: z.string(),
  TEMPORAL: z.enum(['static', 'period']),
  DATA_PERIOD: z.string(),
  REQUESTED_YEAR: z.string(),
});

/**
 * A caption by the file's own tags, so that a picture can't say more than its raster.
 * @param metadata the file's items, as `geotiff` gives them
 * @param name of the job
 */
export function captionOf(metadata: unknown, name: string): MapCaption {
  const { PROPERTY, DEPTH_CM, UNIT, MODEL, TEMPORAL, DATA_PERIOD, REQUESTED_YEAR } =
    tags.parse(metadata);
  const property = PROPERTY.charAt(0).toUpperCase() + PROPERTY.slice(1);
  const period = DATA_PERIOD.replace('/', '–');
  const asked = `${TEMPORAL === 'static' ? ', static' : ''} (asked for ${REQUESTED_YEAR})`;
  return {
    title: `${property}, ${DEPTH_CM.replace('-', '–')} cm · ${name}`,
    subtitle: `${MODEL} · data of ${period}${asked} · mean and 90 % prediction interval of one sample`,
    unit: UNIT.replace(/(?<=[a-z])2\b/g, '²').replace(/(?<=[a-z])3\b/g, '³'),
  };
}
