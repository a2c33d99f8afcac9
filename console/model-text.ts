import type { JobSummary, Model } from 'soil-batch-client';
import { formatUnit } from '#engine/display/unit-text.ts';
import { formatHectares, formatPrecise, formatRounded } from './numbers.ts';
import { TEXTS } from './texts.ts';

export function propertyText({
  property: { name, depth_cm: depth, unit },
}: Pick<Model, 'property'>): string {
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return TEXTS.result.property(title, depth.join('–'), unit === '1' ? null : formatUnit(unit));
}

export function periodText({ years, data_period }: Model['periods'][number]): string {
  const data = TEXTS.result.data(rangeText(data_period));
  return years === null ? `any year: the same map, ${data}` : `${rangeText(years)}: ${data}`;
}

export function rangeText([first, last]: readonly number[]): string {
  return first === last ? `${first}` : `${first}–${last}`;
}

/**
 * The width of a grid cell, such as `10 m` or `0.00208333°`. `reduction` says how many times wider an
 * overview's cells are.
 */
export function cellSizeText(
  { cell_size, crs_proj4 }: { readonly cell_size: number; readonly crs_proj4: string },
  reduction = 1,
): string {
  const [, unit] = /\+units=(\S+)/.exec(crs_proj4) ?? [];
  // A definition without a unit is in metres, or in the multiple of them that `to_meter` states.
  const [, metres = 1] = unit === undefined ? (/\+to_meter=(\S+)/.exec(crs_proj4) ?? []) : [];
  const text = formatPrecise(Number((cell_size * reduction * Number(metres)).toPrecision(6)));
  return /\+proj=longlat\b/.test(crs_proj4) ? `${text}°` : `${text} ${unit ?? 'm'}`;
}

type Stock = NonNullable<JobSummary['stock']>;

/** The unit and its substance, such as `t of carbon`, because carbon is not CO₂. */
export function stockUnit({ unit, substance }: Pick<Stock, 'unit' | 'substance'>): string {
  return substance === null ? unit : TEXTS.result.unitOf(unit, substance);
}

/** The stock per hectare, such as `84.1 t/ha`; null without a stock. */
export function stockPerHectareText({
  stock,
  stock_per_ha: amount,
}: Pick<JobSummary, 'stock' | 'stock_per_ha'>): string | null {
  return stock === null || amount === null ? null : `${formatRounded(amount)} ${stock.unit}/ha`;
}

/** The first accuracy figure of a model, with others that were measured in the same way. */
export function accuracyText({ accuracy }: Pick<Model, 'accuracy'>): string {
  const [first] = accuracy;
  if (first === undefined) return TEXTS.result.noAccuracy;
  const figures = accuracy
    .filter(({ how }) => how === first.how)
    .map(({ metric, value }) => `${formatUnit(metric)} ${formatRounded(value)}`);
  return `${figures.join(', ')} (${first.how})`;
}

export function notForText({ not_for: purposes }: Pick<Model, 'not_for'>): string | null {
  return purposes.length === 0 ? null : purposes.join('; ');
}

export function outsideText({ outside_share: share }: Pick<JobSummary, 'outside_share'>) {
  return share === null ? null : TEXTS.job.outsideShare(formatRounded(100 * share));
}

export function areaText({
  area_ha,
  predicted_area_ha,
}: Pick<JobSummary, 'area_ha' | 'predicted_area_ha'>): string {
  return TEXTS.result.area(formatHectares(area_ha), formatHectares(predicted_area_ha));
}
