import type { Resampling } from './overview.ts';
import { halvingOf, type RasterDescription } from './raster.ts';
import { type BandStatistics, standardDeviation } from './statistics.ts';

const QUANTILE_NOTE: Readonly<Record<Resampling, string>> = {
  average: quantileNote("are averages of this band's cells"),
  nearest: quantileNote("are samples of this band's cells"),
  mode: quantileNote("are the most frequent values of this band's cells"),
};

function quantileNote(overviews: string): string {
  return `This quantile is valid only at full resolution. Overview cells ${overviews}, not quantiles for the larger cell.`;
}

/**
 * GDAL_METADATA (tag 42112), as GDAL's GTiff driver writes it. Like GDAL's, the statistics are of the
 * stored values (without scale and offset) and unweighted: on geographic grids they are not areal means.
 */
export function buildGdalMetadata(
  raster: RasterDescription,
  statistics: readonly BandStatistics[],
): string {
  const items = Object.entries(raster.tags).map(([name, value]) => formatItem(name, value));
  const { resampling } = halvingOf(raster);
  const [first = 'average', ...others] = new Set(resampling);
  if (others.length === 0) items.push(formatItem('OVERVIEW_RESAMPLING', first.toUpperCase()));
  const cells = raster.width * raster.height;
  for (const [sample, band] of raster.bands.entries()) {
    const addBandItem = (name: string, value: string | number, role?: string): number =>
      items.push(formatItem(name, String(value), sample, role));
    addBandItem('LONG_NAME', band.description);
    const overview = resampling[sample] ?? 'average';
    if (others.length > 0) addBandItem('OVERVIEW_RESAMPLING', overview.toUpperCase());
    if (band.quantile !== undefined) {
      addBandItem('QUANTILE', band.quantile);
      addBandItem('OVERVIEW_NOTE', QUANTILE_NOTE[overview]);
    }
    const found = statistics[sample];
    if (found !== undefined && found.min !== null && found.max !== null) {
      addBandItem('STATISTICS_MINIMUM', found.min);
      addBandItem('STATISTICS_MAXIMUM', found.max);
      addBandItem('STATISTICS_MEAN', found.mean);
      addBandItem('STATISTICS_STDDEV', standardDeviation(found));
    }
    addBandItem('STATISTICS_VALID_PERCENT', toPercent((found?.count ?? 0) / cells));
    addBandItem('DESCRIPTION', band.name, 'description');
    addBandItem('UNITTYPE', band.unit, 'unittype');
    if (band.scale !== undefined || band.offset !== undefined) {
      addBandItem('OFFSET', band.offset ?? 0, 'offset');
      addBandItem('SCALE', band.scale ?? 1, 'scale');
    }
  }
  return `<GDALMetadata>\n${items.join('')}</GDALMetadata>\n`;
}

function formatItem(name: string, value: string, sample?: number, role?: string): string {
  const attributes = [
    `name="${escapeXml(name)}"`,
    ...(sample === undefined ? [] : [`sample="${sample}"`]),
    ...(role === undefined ? [] : [`role="${role}"`]),
  ];
  // Escaped twice: GDAL unescapes a value once more after its XML parser.
  return `  <Item ${attributes.join(' ')}>${escapeXml(escapeXml(value.replace(NO_XML, ' ')))}</Item>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Characters that XML does not allow, even escaped (XML 1.0, 2.2). GDAL would reject all metadata. */
const NO_XML = /[^\t\n\r\u0020-\ufffd]/g;

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

function toPercent(fraction: number): number {
  return Number((fraction * 100).toPrecision(4));
}
