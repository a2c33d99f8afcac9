import type { Model } from 'soil-batch-client';
import { formatUnit } from '#engine/display/unit-text.ts';
import { TEXTS } from '../texts.ts';

export interface RasterView {
  readonly id: string;
  readonly title: string;
  /** The model's description of the band; null if it says no more than the title. */
  readonly description: string | null;
  readonly band: number;
  readonly minus: number | null;
  readonly unit: string;
  /** The band's display range, or 0 to 100 if the model states none. For the interval, 0 to the width of that range. */
  readonly range: readonly [number, number];
  /** Whether the batch's range applies to the band, as it does to the expected value and the quantiles. */
  readonly isOnBatchRange: boolean;
}

/** Band names have no spaces, so this name is unique. */
const WIDTH = 'interval width';

type Band = Model['bands'][number];
type ModelBands = Pick<Model, 'bands' | 'mean_band'>;

function rangeOf(band: Band | undefined): readonly [number, number] {
  const [low = 0, high = 100] = band?.display_range ?? [];
  return [low, high];
}

export function listViews({ bands, mean_band: mean }: ModelBands): readonly RasterView[] {
  const interval = findInterval(bands);
  const single = bands.map((band, index): RasterView => {
    const description = band.description === '' ? band.name : band.description;
    const bound = nameBound(bands, interval, index);
    return {
      id: band.name,
      title: bound ?? description,
      description: bound === null ? null : description,
      band: index,
      minus: null,
      unit: formatUnit(band.unit),
      range: rangeOf(band),
      isOnBatchRange: band.level !== null || band.name === mean,
    };
  });
  if (interval === null) return single;
  const { low, high } = interval;
  const [from, to] = rangeOf(bands[high]);
  return [
    ...single,
    {
      id: WIDTH,
      title: TEXTS.result.width(levelOf(bands, interval)),
      description: null,
      band: high,
      minus: low,
      unit: formatUnit(bands[high]?.unit ?? ''),
      range: [0, to - from],
      isOnBatchRange: false,
    },
  ];
}

/** Models describe their quantiles at length, so a bound of the interval has a shorter title. */
function nameBound(
  bands: readonly Band[],
  interval: Interval | null,
  index: number,
): string | null {
  if (interval === null) return null;
  const level = levelOf(bands, interval);
  if (index === interval.low) return TEXTS.result.lower(level);
  return index === interval.high ? TEXTS.result.upper(level) : null;
}

/** The index of the band with the mean, or of the first band if the model has none. */
export function findExpected({ bands, mean_band: mean }: ModelBands): number {
  return Math.max(
    bands.findIndex(({ name }) => name === mean),
    0,
  );
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The lowest quantile and the one symmetric to it; null if there is no such pair. */
export function findInterval(bands: readonly Band[]): Interval | null {
  const levels = bands.flatMap(({ level }, index) => (level === null ? [] : [{ level, index }]));
  const low = levels.toSorted((a, b) => a.level - b.level)[0];
  const high = levels.find(({ level }) => low !== undefined && isCloseTo(level, 1 - low.level));
  if (low === undefined || high === undefined || low.index === high.index) return null;
  return { low: low.index, high: high.index };
}

export function levelOf(bands: readonly Band[], { low, high }: Interval): number {
  return Math.round(((bands[high]?.level ?? 1) - (bands[low]?.level ?? 0)) * 100);
}

export function valueOfView(
  { band, minus }: RasterView,
  valueOfBand: (band: number) => number,
): number {
  return minus === null ? valueOfBand(band) : valueOfBand(band) - valueOfBand(minus);
}

const isCloseTo = (a: number, b: number) => Math.abs(a - b) < 1e-9;
