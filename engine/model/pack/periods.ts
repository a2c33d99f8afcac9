import type { Manifest, RasterCovariate, Years } from './manifest.ts';
import { isUrl } from './pack-files.ts';

/** A map of a pack: the years that jobs may name (null: any), and the years of its data. */
export interface MapPeriod {
  readonly years: Years | null;
  readonly dataPeriod: Years;
}

/** A pack, or one of its maps if `years` are given. */
interface Dated {
  readonly manifest: Manifest;
  readonly years?: Years;
}

/** In the manifest's order. */
export function listMapPeriods({ temporal }: Pick<Manifest, 'temporal'>): readonly MapPeriod[] {
  if (temporal.kind === 'static') return [{ years: null, dataPeriod: temporal.data_period }];
  return temporal.periods.map(({ years, data_period: dataPeriod }) => ({ years, dataPeriod }));
}

/**
 * First and last year of the data behind the pack's map.
 * @throws Error if the pack has several maps and no period is chosen, or if it has no map for the chosen period
 */
export function findDataPeriod({ manifest, years }: Dated): Years {
  const periods = listMapPeriods(manifest);
  const found = years === undefined ? takeOnlyOne(periods) : periods.find(hasSameYears(years));
  if (found === undefined) throw new Error('the pack has several periods, but none is chosen');
  return found.dataPeriod;
}

const hasSameYears = (wanted: Years) => (period: MapPeriod) =>
  period.years !== null && formatYears(period.years) === formatYears(wanted);

function takeOnlyOne<T>(values: readonly T[]): T | undefined {
  return values.length === 1 ? values[0] : undefined;
}

/** Returns the pack once for each of its periods, all with the same model; returns a static pack unchanged. */
export function listPackPeriods<P extends Dated>(pack: P): readonly P[] {
  return listMapPeriods(pack.manifest).map(({ years }) =>
    years === null ? pack : { ...pack, years },
  );
}

export function hasYear({ years }: Pick<Dated, 'years'>, year: number): boolean {
  return years === undefined || (years[0] <= year && year <= years[1]);
}

/** Writes years like the keys of a manifest, `2015-2019`. */
export function formatYears(years: Years): string {
  return years.join('-');
}

type ByPeriod<T> = T | Readonly<Record<string, T>>;

/** @throws Error if the value differs and no period with a value is chosen */
function chooseByPeriod<T>(value: ByPeriod<T>, { years }: Pick<Dated, 'years'>): T {
  if (!isByPeriod(value)) return value;
  const found = years === undefined ? undefined : value[formatYears(years)];
  if (found === undefined)
    throw new Error('the value differs between periods, and no period is chosen');
  return found;
}

function isByPeriod<T>(value: ByPeriod<T>): value is Readonly<Record<string, T>> {
  return typeof value === 'object';
}

export function chooseHref({ href }: RasterCovariate, map: Pick<Dated, 'years'>): string {
  return chooseByPeriod<string>(href, map);
}

export function chooseEncoding(
  { scale, offset, nodata }: RasterCovariate,
  map: Pick<Dated, 'years'>,
): { readonly scale?: number; readonly offset?: number; readonly nodata?: number } {
  return {
    ...(scale === undefined ? {} : { scale: chooseByPeriod<number>(scale, map) }),
    ...(offset === undefined ? {} : { offset: chooseByPeriod<number>(offset, map) }),
    ...(nodata === undefined ? {} : { nodata: chooseByPeriod<number>(nodata, map) }),
  };
}

export function listPeriodHrefs({ href }: Pick<RasterCovariate, 'href'>): readonly string[] {
  return typeof href === 'string' ? [href] : Object.values(href);
}

/** The covariates' URLs that the pack's map reads, each once. */
export function listCovariateUrls(pack: Dated): readonly string[] {
  const hrefs = pack.manifest.covariates.flatMap((covariate) =>
    covariate.kind === 'raster' ? [chooseHref(covariate, pack)] : [],
  );
  return [...new Set(hrefs.filter(isUrl))];
}
