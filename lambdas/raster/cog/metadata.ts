import type { Resampling } from './overview.ts';
import { halvingOf, type RasterDescription } from './raster.ts';
import { type BandStatistics, standardDeviation } from './statistics.ts';

const QUANTILE_NOTE: Readonly<Record<Resampling, string>> = {
  average: quantileNote("are averages of this band's cells"),
  nearest: quantileNote("are single ones of this band's cells"),
  mode: quantileNote("are the most frequent of this band's cells"),
};

function quantileNote(overviews: string): string {
  return `A quantile: it holds at full resolution. Overview cells ${overviews}, not the quantile of the larger cell's own value.`;
}

/**
 * GDAL_METADATA (tag 42112), as GDAL's GTiff driver writes it. Statistics are of what cells hold, as
 * GDAL's are (scale and offset not applied), and unweighted: on geographic grids they are no areal means.
 */
export function gdalMetadata(
  raster: RasterDescription,
  statistics: readonly BandStatistics[],
): string {
  const items = Object.entries(raster.tags).map(([name, value]) => item(name, value));
  const { resampling } = halvingOf(raster);
  const [first = 'average', ...others] = new Set(resampling);
  if (others.length === 0) items.push(item('OVERVIEW_RESAMPLING', first.toUpperCase()));
  const cells = raster.width * raster.height;
  for (const [sample, band] of raster.bands.entries()) {
    const ofBand = (name: string, value: string | number, role?: string): number =>
      items.push(item(name, String(value), sample, role));
    ofBand('LONG_NAME', band.description);
    const overview = resampling[sample] ?? 'average';
    if (others.length > 0) ofBand('OVERVIEW_RESAMPLING', overview.toUpperCase());
    if (band.quantile !== undefined) {
      ofBand('QUANTILE', band.quantile);
      ofBand('OVERVIEW_NOTE', QUANTILE_NOTE[overview]);
    }
    const found = statistics[sample];
    if (found !== undefined && found.min !== null && found.max !== null) {
      ofBand('STATISTICS_MINIMUM', found.min);
      ofBand('STATISTICS_MAXIMUM', found.max);
      ofBand('STATISTICS_MEAN', found.mean);
      ofBand('STATISTICS_STDDEV', standardDeviation(found));
    }
    ofBand('STATISTICS_VALID_PERCENT', percent((found?.count ?? 0) / cells));
    ofBand('DESCRIPTION', band.name, 'description');
    ofBand('UNITTYPE', band.unit, 'unittype');
    if (band.scale !== undefined || band.offset !== undefined) {
      ofBand('OFFSET', band.offset ?? 0, 'offset');
      ofBand('SCALE', band.scale ?? 1, 'scale');
    }
  }
  return `<GDALMetadata>\n${items.join('')}</GDALMetadata>\n`;
}

function item(name: string, value: string, sample?: number, role?: string): string {
  const attributes = [
    `name="${escapeXml(name)}"`,
    ...(sample === undefined ? [] : [`sample="${sample}"`]),
    ...(role === undefined ? [] : [`role="${role}"`]),
  ];
  // Twice: GDAL unescapes a value once more after its XML parser has.
  return `  <Item ${attributes.join(' ')}>${escapeXml(escapeXml(value.replace(NO_XML, ' ')))}</Item>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** What no XML may hold, escaped or not (XML 1.0, 2.2): GDAL would read no metadata at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

function percent(share: number): number {
  return Number((share * 100).toPrecision(4));
}
