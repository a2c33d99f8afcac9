import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import { fromArrayBuffer, type GeoTIFFImage } from 'geotiff';
import { computeValueRange, type DisplayRange } from '#engine/model/display-range.ts';
import { type Html, html } from '../../lambdas/drawing/html.ts';
import { cellsPng, FAINT, legend, PAPER, scaleBar, text } from '../../lambdas/drawing/map-parts.ts';
import { type CaptionedBand, composeCaption } from './map-caption.ts';

interface BandImage extends CaptionedBand {
  /** Values in the band's unit, with NaN for nodata. */
  readonly values: Float64Array;
}

interface Panel {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const MARGIN = 28;
const HEADER = 76;
const FOOTER = 96;
const PANEL_HEIGHT = 520;
const PANEL_WIDTH = 420;
const GAP = 24;

const font = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');

/**
 * Draws a result in a projected CRS (metres) as PNG: its bands side by side on one colour scale, with legend and scale
 * bar.
 * @param name the job's name
 * @param displayRange the model's range; null if it has none
 */
export async function drawMap(
  tiff: Uint8Array,
  name: string,
  displayRange: DisplayRange | null,
): Promise<Uint8Array> {
  const image = await (await fromArrayBuffer(copyBuffer(tiff))).getImage();
  const bands = await readBands(image);
  const caption = composeCaption(await image.getGDALMetadata(), bands, name);
  const range = displayRange ?? computeValueRange(bands.map(({ values }) => values));
  const scale = Math.min(PANEL_WIDTH / image.getWidth(), PANEL_HEIGHT / image.getHeight());
  const panelWidth = Math.max(image.getWidth() * scale, 200);
  const width = Math.max(2 * MARGIN + bands.length * (panelWidth + GAP) - GAP, 640);
  const mapHeight = image.getHeight() * scale;
  const height = HEADER + 24 + mapHeight + FOOTER;
  const panels = bands.map((band, at) => {
    const panel = { x: MARGIN + at * (panelWidth + GAP), y: HEADER + 24, scale };
    return drawPanel(image, band, range, panel);
  });
  const bar = { x: MARGIN, y: height - 48, width: panelWidth * 0.45 };
  const { html: svg } =
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans">
<rect width="100%" height="100%" fill="${PAPER}"/>
${text(MARGIN, 40, caption.title, { size: 20 })}
${text(MARGIN, 62, caption.subtitle, { size: 12, fill: FAINT })}
${panels}
${scaleBar(bar, computeMetresPerCell(image) / scale)}
${legend({ x: width - MARGIN - 320, y: height - 62, width: 320 }, range, caption.unit)}
</svg>`;
  const options = {
    font: { fontFiles: [font], loadSystemFonts: false, defaultFontFamily: 'DejaVu Sans' },
  };
  return new Resvg(svg, options).render().asPng();
}

async function readBands(image: GeoTIFFImage): Promise<readonly BandImage[]> {
  const rasters = await image.readRasters({ interleave: false });
  const bands: BandImage[] = [];
  // The bands are read one after the other, because geotiff loads a deferred tag for one reader at a time.
  for (const [sample, cells] of Array.from(rasters as ArrayLike<ArrayLike<number>>).entries()) {
    const metadata = await image.getGDALMetadata(sample);
    const { DESCRIPTION: name, QUANTILE: level }: Items = metadata ?? {};
    bands.push({
      name: String(name ?? `band ${sample + 1}`),
      quantile: level === undefined ? null : Number(level),
      values: decodeValues(cells, image.getGDALNoData(), metadata ?? {}),
    });
  }
  return bands;
}

type Items = Readonly<Record<string, unknown>>;

/** Decodes like GDAL: stored value × SCALE + OFFSET. */
function decodeValues(
  cells: ArrayLike<number>,
  nodata: number | null,
  { SCALE: scale = 1, OFFSET: offset = 0 }: Items,
): Float64Array {
  return Float64Array.from(cells, (cell) =>
    cell === nodata ? Number.NaN : cell * Number(scale) + Number(offset),
  );
}

function drawPanel(
  image: GeoTIFFImage,
  band: BandImage,
  range: DisplayRange,
  { x, y, scale }: Panel,
): Html {
  const size = { width: image.getWidth(), height: image.getHeight() };
  const href = cellsPng(band.values, size, range);
  const [width, height] = [size.width * scale, size.height * scale];
  return html`${text(x, y - 10, band.name, { size: 13 })}
<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" image-rendering="optimizeSpeed" href="${href}"/>`;
}

function computeMetresPerCell(image: GeoTIFFImage): number {
  return Math.abs(image.getResolution()[0] ?? 1);
}

/** Copies the bytes into a separate buffer, because a pooled buffer also contains other data. */
function copyBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}
