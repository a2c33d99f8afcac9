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

/** A band, by its own items. */
export interface CaptionedBand {
  readonly name: string;
  /** The level of the quantile it is; null where it is none. */
  readonly quantile: number | null;
}

/**
 * A caption by the file's own tags, so that a picture can't say more than its raster.
 * @param metadata the file's items, as `geotiff` gives them
 * @param name of the job
 */
export function captionOf(
  metadata: unknown,
  bands: readonly CaptionedBand[],
  name: string,
): MapCaption {
  const { PROPERTY, DEPTH_CM, UNIT, MODEL, TEMPORAL, DATA_PERIOD, REQUESTED_YEAR } =
    tags.parse(metadata);
  const property = PROPERTY.charAt(0).toUpperCase() + PROPERTY.slice(1);
  const period = DATA_PERIOD.replace('/', '–');
  const asked = `${TEMPORAL === 'static' ? ', static' : ''} (asked for ${REQUESTED_YEAR})`;
  return {
    title: `${property}, ${DEPTH_CM.replace('-', '–')} cm · ${name}`,
    subtitle: `${MODEL} · data of ${period}${asked} · ${contentOf(bands)}`,
    unit: UNIT.replace(/(?<=[a-z])2\b/g, '²').replace(/(?<=[a-z])3\b/g, '³'),
  };
}

/** E.g. "mean and 90 % prediction interval of one sample". */
function contentOf(bands: readonly CaptionedBand[]): string {
  const names = bands.filter(({ quantile }) => quantile === null).map(({ name }) => name);
  const levels = bands.flatMap(({ quantile }) => quantile ?? []);
  const share = Math.max(...levels) - Math.min(...levels);
  const interval = `${Number((share * 100).toFixed(1))} % prediction interval of one sample`;
  return [...names, ...(levels.length > 1 ? [interval] : [])].join(' and ');
}
