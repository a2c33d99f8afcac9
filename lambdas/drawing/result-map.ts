import { computePerimeter } from '#engine/geometry/ellipsoid.ts';
import type { Position } from '#engine/geometry/polygon.ts';
import {
  chooseDisplayRange,
  computeValueRange,
  type DisplayRange,
} from '#engine/model/display-range.ts';
import { openRasterFile, type RasterLevel } from '#engine/model/geotiff/raster-file.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import type { PackFiles } from '#engine/model/pack/pack-files.ts';
import { unitOf } from '#engine/model/pack/property.ts';
import { isGeographicDefinition } from '#engine/projection/projections.ts';
import { transformOfGrid } from '#engine/projection/transform.ts';
import { html } from './html.ts';
import { cellsPng, FAINT, legend, PAPER, scaleBar, text } from './map-parts.ts';

/** `files` reads `href`. */
export interface RasterSource {
  readonly files: PackFiles;
  readonly href: string;
}

/** Plain text above the map. */
export interface MapTitle {
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * The largest edge of the picture, in pixels, and of its overview, in cells. The PNG has at most 4 MiB before
 * compression, so that the response including base64 stays below Lambda's 6 MB.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const LARGEST_EDGE = 1024;

const MARGIN = 28;
const HEADER = 96;
const FOOTER = 92;
/** The least width of the picture. It leaves room for the header's text, whose width is not measured. */
const NARROWEST = 600;
/** Smaller rasters are enlarged to this edge. */
const ENLARGED = 544;
const LEGEND_WIDTH = 300;

/** Draws one band as an SVG map. The viewer renders the text, so that no fonts are needed here. */
export async function resultMap(
  { files, href }: RasterSource,
  manifest: Manifest,
  band: Band,
  { title, lines }: MapTitle,
  displayRange: DisplayRange | null = chooseDisplayRange(manifest, band),
): Promise<string> {
  const file = await openRasterFile(files, href);
  const level = shownLevel(file.levels);
  const sample = manifest.bands.indexOf(band);
  const whole = { col: 0, row: 0, width: level.width, height: level.height };
  const values = await level.readCells(sample, await file.readEncoding(sample), whole);
  const range = displayRange ?? computeValueRange([values]);

  const { crs } = manifest.grid;
  const { west, north, cellWidth, cellHeight } = file.georeference;
  const [full = level] = file.levels;
  const extent = { west, north, width: cellWidth * full.width, height: cellHeight * full.height };
  const ground = groundScale(crs, extent);
  const shape = isGeographicDefinition(crs.proj4) ? ground.east / ground.north : 1;
  const map = mapSize(level.width * shape, level.height);
  const width = Math.ceil(Math.max(map.width + 2 * MARGIN, NARROWEST));
  const height = Math.ceil(HEADER + map.height + FOOTER);
  const bar = {
    x: MARGIN,
    y: height - 46,
    width: Math.min(map.width, width - LEGEND_WIDTH - 4 * MARGIN),
  };
  const rendering = map.scale > 1 ? 'pixelated' : 'auto';
  const { html: svg } =
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">
<title>${title}</title>
<rect width="100%" height="100%" fill="${PAPER}"/>
${text(MARGIN, 36, title, { size: 18 })}
${lines.map(
  (line, i) => html`${text(MARGIN, 58 + 18 * i, line, { size: 12, fill: FAINT })}
`,
)}<image x="${MARGIN}" y="${HEADER}" width="${map.width}" height="${map.height}" preserveAspectRatio="none" image-rendering="${rendering}" href="${cellsPng(values, level, range)}"/>
${Number.isFinite(ground.east) ? scaleBar(bar, (extent.width * ground.east) / map.width) : null}
${legend({ x: width - MARGIN - LEGEND_WIDTH, y: height - 66, width: LEGEND_WIDTH }, range, unitOf(manifest, band))}
</svg>
`;
  return svg;
}

/** Chooses the largest level that fits. The last overview has at most one tile, so one level always fits. */
function shownLevel(levels: readonly RasterLevel[]): RasterLevel {
  const level =
    levels.find(({ width, height }) => Math.max(width, height) <= LARGEST_EDGE) ?? levels.at(-1);
  if (level === undefined) throw new Error('the raster has no image');
  return level;
}

function mapSize(width: number, height: number) {
  const fitting = Math.min(
    (LARGEST_EDGE - 2 * MARGIN) / width,
    (LARGEST_EDGE - HEADER - FOOTER) / height,
    Math.max(ENLARGED / Math.max(width, height), 1),
  );
  return { width: width * fitting, height: height * fitting, scale: fitting };
}

interface Extent {
  readonly west: number;
  readonly north: number;
  readonly width: number;
  readonly height: number;
}

/** Twice this fraction of an edge is measured: short enough to be straight, long enough to be exact. */
const FRACTION = 0.05;

/**
 * Returns the metres on the ground per CRS unit, eastward and northward, at the centre of the extent; NaN where the CRS
 * does not cover the centre.
 */
function groundScale(
  crs: { readonly proj4: string },
  { west, north, width, height }: Extent,
): { readonly east: number; readonly north: number } {
  const { inverse } = transformOfGrid({ crs });
  const centre: Position = [west + width / 2, north - height / 2];
  const metres = (dx: number, dy: number): number =>
    lengthOf(inverse([centre[0] - dx, centre[1] - dy]), inverse([centre[0] + dx, centre[1] + dy])) /
    (2 * Math.hypot(dx, dy));
  return { east: metres(width * FRACTION, 0), north: metres(0, height * FRACTION) };
}

/** A ring from one position to the other and back has twice the length. */
function lengthOf(from: Position, to: Position): number {
  // A grid may continue past the antimeridian, where the projection's longitudes jump by 360°.
  const lon = to[0] - 360 * Math.round((to[0] - from[0]) / 360);
  return computePerimeter([[[from, [lon, to[1]], from]]]) / 2;
}
