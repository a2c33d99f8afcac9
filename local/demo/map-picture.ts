import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import { interpolateYlOrBr } from 'd3-scale-chromatic';
import { fromArrayBuffer, type GeoTIFFImage } from 'geotiff';
import { PNG } from 'pngjs';
import { type CaptionedBand, captionOf } from './map-caption.ts';

interface BandImage extends CaptionedBand {
  /** In the band's unit; NaN for nodata. */
  readonly values: Float64Array;
}

/** The colour range from `low` to `high`; both are multiples of `step`. */
interface ColourScale {
  readonly low: number;
  readonly high: number;
  /** Distance between two ticks of the legend. */
  readonly step: number;
}

interface Panel {
  readonly x: number;
  readonly y: number;
  /** Width of a cell in pixels of the picture. */
  readonly scale: number;
}

const MARGIN = 28;
const HEADER = 76;
const FOOTER = 96;
const PANEL_HEIGHT = 520;
const PANEL_WIDTH = 420;
const GAP = 24;
const INK = '#2b2622';
const FAINT = '#786e64';
const PAPER = '#fbf9f5';

const font = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');

/**
 * Draws a result in a projected CRS (metres) as PNG: its bands side by side on one colour scale, with
 * legend and scale bar.
 * @param name of the job
 */
export async function drawMap(tiff: Uint8Array, name: string): Promise<Uint8Array> {
  const image = await (await fromArrayBuffer(ownBuffer(tiff))).getImage();
  const bands = await readBands(image);
  const caption = captionOf(await image.getGDALMetadata(), bands, name);
  const range = rangeOf(bands);
  const scale = Math.min(PANEL_WIDTH / image.getWidth(), PANEL_HEIGHT / image.getHeight());
  const panelWidth = Math.max(image.getWidth() * scale, 200);
  const width = Math.max(2 * MARGIN + bands.length * (panelWidth + GAP) - GAP, 640);
  const mapHeight = image.getHeight() * scale;
  const height = HEADER + 24 + mapHeight + FOOTER;
  const panels = bands.map((band, at) => {
    const panel = { x: MARGIN + at * (panelWidth + GAP), y: HEADER + 24, scale };
    return drawPanel(image, band, range, panel);
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans">
<rect width="100%" height="100%" fill="${PAPER}"/>
${text(MARGIN, 40, 20, INK, caption.title)}
${text(MARGIN, 62, 12, FAINT, caption.subtitle)}
${panels.join('\n')}
${drawScaleBar(MARGIN, height - 48, scale / metresPerCell(image), panelWidth)}
${drawLegend(width - MARGIN - 320, height - 62, range, caption.unit)}
</svg>`;
  const options = {
    font: { fontFiles: [font], loadSystemFonts: false, defaultFontFamily: 'DejaVu Sans' },
  };
  return new Resvg(svg, options).render().asPng();
}

async function readBands(image: GeoTIFFImage): Promise<readonly BandImage[]> {
  const rasters = await image.readRasters({ interleave: false });
  const bands: BandImage[] = [];
  // Sequential, because geotiff loads a deferred tag for one reader at a time.
  for (const [sample, cells] of Array.from(rasters as ArrayLike<ArrayLike<number>>).entries()) {
    const metadata = await image.getGDALMetadata(sample);
    const { DESCRIPTION: name, QUANTILE: level }: Items = metadata ?? {};
    bands.push({
      name: String(name ?? `band ${sample + 1}`),
      quantile: level === undefined ? null : Number(level),
      values: valuesOf(cells, image.getGDALNoData(), metadata ?? {}),
    });
  }
  return bands;
}

/** A band's GDAL metadata items by name. */
type Items = Readonly<Record<string, unknown>>;

/** As in GDAL: stored value × SCALE + OFFSET. */
function valuesOf(
  cells: ArrayLike<number>,
  nodata: number | null,
  { SCALE: scale = 1, OFFSET: offset = 0 }: Items,
): Float64Array {
  return Float64Array.from(cells, (cell) =>
    cell === nodata ? Number.NaN : cell * Number(scale) + Number(offset),
  );
}

function rangeOf(bands: readonly BandImage[]): ColourScale {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { values } of bands) {
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return low <= high ? roundScale(low, high) : { low: 0, high: 1, step: 1 };
}

/** The narrowest scale with at most seven ticks at round numbers (1, 2 or 5 times a power of ten). */
function roundScale(low: number, high: number): ColourScale {
  const power = 10 ** Math.floor(Math.log10(Math.max(high - low, 1e-6) / 10));
  const steps = [1, 2, 5, 10, 20].map((factor) => factor * power);
  const step = steps.find((wide) => ends(wide) <= 6) ?? high - low;
  const first = Math.floor(low / step);
  // A raster with one value also gets a scale with two ends.
  const last = Math.max(Math.ceil(high / step), first + 1);
  return { low: first * step, high: last * step, step };

  function ends(wide: number): number {
    return Math.ceil(high / wide) - Math.floor(low / wide);
  }
}

function drawPanel(
  image: GeoTIFFImage,
  band: BandImage,
  { low, high }: ColourScale,
  { x, y, scale }: Panel,
): string {
  const png = new PNG({ width: image.getWidth(), height: image.getHeight() });
  for (const [at, value] of band.values.entries()) {
    if (Number.isNaN(value)) continue;
    png.data.set([...rgbOf((value - low) / (high - low)), 255], at * 4);
  }
  const href = `data:image/png;base64,${PNG.sync.write(png).toString('base64')}`;
  const [width, height] = [image.getWidth() * scale, image.getHeight() * scale];
  return `${text(x, y - 10, 13, INK, band.name)}
<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" image-rendering="optimizeSpeed" href="${href}"/>`;
}

function drawScaleBar(x: number, y: number, pixelsPerMetre: number, room: number): string {
  const lengths = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000];
  const metres = lengths.findLast((length) => length * pixelsPerMetre <= room * 0.45) ?? 10;
  const width = metres * pixelsPerMetre;
  const label = metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
  return `<path d="M${x} ${y - 6}v6h${width}v-6" fill="none" stroke="${INK}" stroke-width="1.5"/>
${text(x, y + 18, 12, INK, label)}`;
}

function drawLegend(x: number, y: number, { low, high, step }: ColourScale, unit: string): string {
  const stops = Array.from({ length: 11 }, (_, at) => {
    return `<stop offset="${at * 10}%" stop-color="${interpolateYlOrBr(at / 10)}"/>`;
  });
  const steps = Math.round((high - low) / step);
  const ticks = Array.from({ length: steps + 1 }, (_, at) => {
    const label = String(Number((low + at * step).toPrecision(6)));
    return text(x + (at / steps) * 320, y + 32, 12, INK, label, 'middle');
  });
  return `<defs><linearGradient id="scale">${stops.join('')}</linearGradient></defs>
<rect x="${x}" y="${y}" width="320" height="14" fill="url(#scale)"/>
${ticks.join('\n')}
${text(x + 160, y + 50, 12, FAINT, unit, 'middle')}`;
}

function text(x: number, y: number, size: number, fill: string, content: string, anchor = 'start') {
  const escaped = content.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${escaped}</text>`;
}

function rgbOf(fraction: number): readonly number[] {
  const channels = interpolateYlOrBr(Math.min(Math.max(fraction, 0), 1)).match(/\d+/g) ?? [];
  return channels.slice(0, 3).map(Number);
}

function metresPerCell(image: GeoTIFFImage): number {
  return Math.abs(image.getResolution()[0] ?? 1);
}

/** A copy with its own buffer: a pooled buffer contains other data too. */
function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}
