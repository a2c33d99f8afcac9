import { degreesToStringHDMS } from 'ol/coordinate.js';
import Feature from 'ol/Feature.js';
import type LineString from 'ol/geom/LineString.js';
import Point from 'ol/geom/Point.js';
import Graticule from 'ol/layer/Graticule.js';
import type OpenLayersMap from 'ol/Map.js';
import type RenderEvent from 'ol/render/Event.js';
import { getVectorContext } from 'ol/render.js';
import Fill from 'ol/style/Fill.js';
import Stroke from 'ol/style/Stroke.js';
import Style from 'ol/style/Style.js';
import Text from 'ol/style/Text.js';
import { readColour } from './theme.ts';

/** The size is in pixels. */
const LABEL = { width: 84, height: 24 };
/** Pixels that the zoom control covers at the left. */
const CONTROL = 60;

/**
 * Draws meridians with labels at the top, and parallels with labels at the right. The labels of OpenLayers' own
 * graticule end up outside the map: with `useGeographic`, it compares degrees with metres of the view.
 */
export function graticule(map: OpenLayersMap): Graticule {
  const grid = new Graticule({
    strokeStyle: new Stroke({ color: `${readColour('muted')}66`, width: 1, lineDash: [1, 3] }),
    wrapX: false,
    zIndex: -2,
  });
  grid.on('postrender', (event) => drawLabels(map, grid, event));
  return grid;
}

type Pixel = readonly [x: number, y: number];

function drawLabels(map: OpenLayersMap, grid: Graticule, event: RenderEvent): void {
  const [width = 0, height = 0] = map.getSize() ?? [];
  const context = getVectorContext(event);
  const draw = (text: string, pixel: Pixel, textAlign: CanvasTextAlign) => {
    const point = new Point(map.getCoordinateFromPixel([...pixel]));
    context.drawFeature(new Feature(point), labelStyle(text, textAlign));
  };
  const top = LABEL.height / 2;
  const meridians = findCrossings(map, grid.getMeridians(), 'x', top);
  for (const { degrees, pixel } of thinOut(meridians, 'x', LABEL.width)) {
    const [x] = pixel;
    if (x < CONTROL + LABEL.width / 2 || x > width - 1.5 * LABEL.width) continue;
    draw(degreesToStringHDMS('EW', degrees), pixel, 'center');
  }
  const right = width - 6;
  const parallels = findCrossings(map, grid.getParallels(), 'y', right);
  for (const { degrees, pixel } of thinOut(parallels, 'y', LABEL.height)) {
    const [, y] = pixel;
    if (y < LABEL.height || y > height - LABEL.height / 2) continue;
    draw(degreesToStringHDMS('NS', degrees), pixel, 'right');
  }
}

interface PlacedLine {
  readonly degrees: number;
  readonly pixel: Pixel;
}

/**
 * Finds where meridians cross a horizontal line of the map (axis `x`), or parallels a vertical one, in pixels.
 */
function findCrossings(
  map: OpenLayersMap,
  lines: readonly LineString[],
  axis: 'x' | 'y',
  at: number,
): readonly PlacedLine[] {
  return lines.flatMap((line) => {
    const [degrees = 0] =
      axis === 'x' ? line.getFirstCoordinate() : line.getFirstCoordinate().slice(1);
    const [x0 = 0, y0 = 0] = map.getPixelFromCoordinate(line.getFirstCoordinate());
    const [x1 = 0, y1 = 0] = map.getPixelFromCoordinate(line.getLastCoordinate());
    // Within the view, a line of the grid is nearly straight.
    const share = axis === 'x' ? (at - y0) / (y1 - y0) : (at - x0) / (x1 - x0);
    // If the whole grid is in view, its lines end on the map.
    if (share < 0 || share > 1) return [];
    const pixel: Pixel = axis === 'x' ? [x0 + share * (x1 - x0), at] : [at, y0 + share * (y1 - y0)];
    return [{ degrees, pixel }];
  });
}

/** Keeps every line, or every second, third and so on if labels would overlap. */
function thinOut(
  places: readonly PlacedLine[],
  axis: 'x' | 'y',
  least: number,
): readonly PlacedLine[] {
  const along = axis === 'x' ? 0 : 1;
  const [first, second] = places.toSorted((a, b) => a.degrees - b.degrees);
  if (first === undefined || second === undefined) return places;
  const interval = second.degrees - first.degrees;
  const stride = Math.ceil(least / Math.abs(second.pixel[along] - first.pixel[along]));
  return places.filter(({ degrees }) => Math.round(degrees / interval) % stride === 0);
}

function labelStyle(text: string, textAlign: CanvasTextAlign): Style {
  return new Style({
    text: new Text({
      text,
      textAlign,
      font: '12px system-ui, sans-serif',
      fill: new Fill({ color: readColour('muted') }),
      stroke: new Stroke({ color: readColour('casing'), width: 3 }),
    }),
  });
}
