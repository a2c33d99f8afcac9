import * as z from 'zod';

export interface MapCaption {
  readonly title: string;
  readonly subtitle: string;
  /** The unit in UDUNITS spelling. */
  readonly unit: string;
}

/** The GDAL metadata items that every result has. */
const tags = z.object({
  PROPERTY: z.string(),
  DEPTH_CM: z.string(),
  UNIT: z.string(),
  MODEL: z.string(),
  TEMPORAL: z.enum(['static', 'period']),
  DATA_PERIOD: z.string(),
  REQUESTED_YEAR: z.string(),
});

export interface CaptionedBand {
  readonly name: string;
  readonly quantile: number | null;
}

/**
 * @param metadata the file's GDAL metadata items, as `geotiff` returns them
 * @param name the job's name
 */
export function composeCaption(
  metadata: unknown,
  bands: readonly CaptionedBand[],
  name: string,
): MapCaption {
  const { PROPERTY, DEPTH_CM, UNIT, MODEL, TEMPORAL, DATA_PERIOD, REQUESTED_YEAR } =
    tags.parse(metadata);
  const property = PROPERTY.charAt(0).toUpperCase() + PROPERTY.slice(1);
  const period = DATA_PERIOD.replace('/', '–');
  const requested = `${TEMPORAL === 'static' ? ', static' : ''} (requested ${REQUESTED_YEAR})`;
  return {
    title: `${property}, ${DEPTH_CM.replace('-', '–')} cm · ${name}`,
    subtitle: `${MODEL} · data of ${period}${requested} · ${describeContent(bands)}`,
    unit: UNIT,
  };
}

function describeContent(bands: readonly CaptionedBand[]): string {
  const names = bands.filter(({ quantile }) => quantile === null).map(({ name }) => name);
  const levels = bands.flatMap(({ quantile }) => quantile ?? []);
  const probability = Math.max(...levels) - Math.min(...levels);
  const interval = `${Number((probability * 100).toFixed(1))} % prediction interval of one sample`;
  return [...names, ...(levels.length > 1 ? [interval] : [])].join(' and ');
}
