import { colourAt, hexOf } from './colour-ramp.ts';
import { type Html, html, shortened } from './html.ts';
import { type LegendRange, legend, scaleBar } from './legend.ts';
import { FAINT, INK, PAPER, text } from './text.ts';
import { unitText } from './unit-text.ts';

/** A field of the map; its polygon is in degrees of WGS 84. */
export interface MappedField {
  readonly name: string;
  readonly polygon: FieldPolygon;
  /** It is null for a field without a result. */
  readonly value: number | null;
}

export interface FieldPolygon {
  readonly type: string;
  /** A Polygon or a MultiPolygon; nothing else is drawn. */
  readonly coordinates?: unknown;
}

export interface FieldsMapOptions {
  /** The unit in UDUNITS spelling. */
  readonly unit: string;
  readonly title: string;
  /** Lowest and highest value of the colours; by default those of the fields. */
  readonly range?: LegendRange | undefined;
  /** The width in pixels. */
  readonly width?: number | undefined;
}

const MARGIN = 16;
const FOOTER = 108;
const TALLEST = 1.2;
const LEGEND_WIDTH = 260;
const NO_VALUE = '#d9d4cc';
const NAME_CHARACTERS = 80;
const LABEL_CHARACTERS = 24;
const LABEL_SIZE = 11;

/**
 * A map of fields as SVG, coloured by their values, with names where they have room, legend and scale bar. Fields without
 * a value that lie far from the others are counted, not drawn. Text is escaped.
 */
export function fieldsMap(fields: readonly MappedField[], options: FieldsMapOptions): string {
  const { unit, title, width = 720 } = options;
  const range = options.range ?? rangeOf(fields);
  const { drawn, far } = nearFields(fields.map(drawnField));
  const frame = frameOf(boundsOf(drawn.map(({ bounds }) => bounds)), width - 2 * MARGIN);
  const height = Math.ceil(frame.height + MARGIN + FOOTER);
  const { html: svg } =
    html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">
<title>${shortened(title, NAME_CHARACTERS)}</title>
<rect width="100%" height="100%" fill="${PAPER}"/>
<g stroke="${INK}" stroke-width="0.6" stroke-linejoin="round" fill-rule="evenodd">
${behindFirst(drawn).map((field) => fieldPath(field, frame, range, unit))}</g>
${labels(drawn, frame)}
${scaleBar({ x: MARGIN, y: height - 40, width: width - LEGEND_WIDTH - 4 * MARGIN }, frame.metresPerPixel)}
${noValueKey({ x: MARGIN, y: height - 84 }, drawn, far)}
${range === null ? null : legend({ x: width - MARGIN - LEGEND_WIDTH, y: height - 60, width: LEGEND_WIDTH }, range, unit)}
</svg>
`;
  return svg;
}

interface DrawnField extends MappedField {
  readonly rings: readonly Ring[];
  /** It is null if no position is drawn. */
  readonly bounds: Bounds | null;
}

function drawnField(field: MappedField): DrawnField {
  const rings = ringsOf(field.polygon);
  return { ...field, rings, bounds: boundsOf(rings.map(boundsOfRing)) };
}

/** A far field that failed, often for its place, would shrink all others. */
function nearFields(fields: readonly DrawnField[]) {
  const frame = boundsOf(fields.map(({ value, bounds }) => (value === null ? null : bounds)));
  if (frame === null) return { drawn: fields, far: 0 };
  const reach = Math.max(frame.east - frame.west, frame.north - frame.south) / 2;
  const drawn = fields.filter(
    ({ value, bounds }) =>
      value !== null ||
      (bounds !== null &&
        bounds.west > frame.west - reach &&
        bounds.east < frame.east + reach &&
        bounds.south > frame.south - reach &&
        bounds.north < frame.north + reach),
  );
  return { drawn, far: fields.length - drawn.length };
}

/** Names in the middle of their fields, the largest field first; one that would cover another is left out. */
function labels(fields: readonly DrawnField[], frame: Frame): readonly Html[] {
  const placed: { readonly x: number; readonly y: number; readonly half: number }[] = [];
  const size = ({ bounds }: DrawnField) =>
    bounds === null ? 0 : (bounds.east - bounds.west) * (bounds.north - bounds.south);
  return fields
    .toSorted((a, b) => size(b) - size(a))
    .flatMap(({ name, bounds }) => {
      if (bounds === null) return [];
      const { west, south, east, north } = bounds;
      const [x, middle] = frame.place([(west + east) / 2, (south + north) / 2]);
      const y = middle + LABEL_SIZE / 3;
      const label = shortened(name, LABEL_CHARACTERS);
      const half = (label.length * LABEL_SIZE) / 3.4;
      const covers = placed.some(
        (other) =>
          Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < LABEL_SIZE + 2,
      );
      if (covers) return [];
      placed.push({ x, y, half });
      return [
        html`<g paint-order="stroke" stroke="${PAPER}" stroke-width="3">${text(x, y, label, { size: LABEL_SIZE, anchor: 'middle' })}</g>
`,
      ];
    });
}

function noValueKey(
  { x, y }: { readonly x: number; readonly y: number },
  drawn: readonly MappedField[],
  far: number,
): Html | null {
  if (far === 0 && drawn.every(({ value }) => value !== null)) return null;
  const note = far === 0 ? '' : `; ${far} more outside this map`;
  return html`<rect x="${x}" y="${y}" width="24" height="14" fill="${NO_VALUE}" stroke="${FAINT}" stroke-width="0.6" stroke-dasharray="3 2"/>
${text(x + 32, y + 11, `no result${note}`, { size: 12 })}`;
}

/** Fields without a value, which may be broken polygons, cover no other. */
function behindFirst(fields: readonly DrawnField[]): readonly DrawnField[] {
  const isBehind = ({ value }: DrawnField): boolean => value === null;
  return [...fields.filter(isBehind), ...fields.filter((field) => !isBehind(field))];
}

function fieldPath(
  { name, value, rings }: DrawnField,
  frame: Frame,
  range: LegendRange | null,
  unit: string,
): Html {
  const label = value === null ? 'no result' : `${value} ${unitText(unit)}`;
  const path = rings
    .map((ring) => `M${ring.map((at) => frame.place(at).join(' ')).join('L')}Z`)
    .join('');
  const style = value === null ? html` stroke="${FAINT}" stroke-dasharray="3 2"` : null;
  return html`<path d="${path}" fill="${fieldColour(value, range)}"${style}><title>${shortened(name, NAME_CHARACTERS)}: ${label}</title></path>
`;
}

/** `#rrggbb` of a value on the scale of a map; grey without a value. */
export function fieldColour(value: number | null, range: LegendRange | null): string {
  if (value === null || range === null) return NO_VALUE;
  const [low, high] = range;
  return hexOf(colourAt((value - low) / (high - low)));
}

/** The lowest and highest value of fields; null if none has one. */
export function rangeOf(fields: readonly Pick<MappedField, 'value'>[]): LegendRange | null {
  let range: LegendRange | null = null;
  for (const { value } of fields) {
    if (value !== null) {
      range = [Math.min(range?.[0] ?? value, value), Math.max(range?.[1] ?? value, value)];
    }
  }
  // A legend of one value also has two ends.
  return range !== null && range[0] === range[1] ? [range[0], range[0] + 1] : range;
}

type Place = readonly [lon: number, lat: number];
type Ring = readonly Place[];

/** Positions that are not two numbers are left out: the service has checked the polygon, not this map. */
function ringsOf({ type, coordinates }: FieldPolygon): readonly Ring[] {
  const polygons = type === 'MultiPolygon' ? listOf(coordinates) : [coordinates];
  if (type !== 'Polygon' && type !== 'MultiPolygon') return [];
  return polygons.flatMap((polygon) =>
    listOf(polygon).map((ring) =>
      listOf(ring).flatMap((position): readonly Place[] => {
        const [lon, lat] = listOf(position);
        return typeof lon === 'number' && typeof lat === 'number' ? [[lon, lat]] : [];
      }),
    ),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

function boundsOfRing(ring: Ring): Bounds | null {
  return boundsOf(ring.map(([lon, lat]) => ({ west: lon, south: lat, east: lon, north: lat })));
}

function boundsOf(all: readonly (Bounds | null)[]): Bounds | null {
  return all.reduce<Bounds | null>((a, b) => {
    if (a === null || b === null) return a ?? b;
    return {
      west: Math.min(a.west, b.west),
      south: Math.min(a.south, b.south),
      east: Math.max(a.east, b.east),
      north: Math.max(a.north, b.north),
    };
  }, null);
}

interface Frame {
  readonly height: number;
  readonly metresPerPixel: number;
  /** Maps a place to pixels from the upper left. */
  place(at: Place): readonly [x: number, y: number];
}

const METRES_PER_DEGREE = 111_320;
/** A single small field is not enlarged beyond this. */
const LEAST_METRES = 50;

/** Degrees of longitude and latitude to pixels, with the true shape at the middle latitude. */
function frameOf(bounds: Bounds | null, width: number): Frame {
  const { west, south, east, north } = bounds ?? { west: 0, south: 0, east: 0, north: 0 };
  const middle = (south + north) / 2;
  const across = METRES_PER_DEGREE * Math.cos((middle * Math.PI) / 180);
  const metres = {
    width: Math.max((east - west) * across, LEAST_METRES),
    height: Math.max((north - south) * METRES_PER_DEGREE, LEAST_METRES),
  };
  const metresPerPixel = Math.max(metres.width / width, metres.height / (width * TALLEST));
  const height = Math.max(metres.height / metresPerPixel, width / 4);
  const centre = { x: MARGIN + width / 2, y: MARGIN + height / 2 };
  const round = (pixels: number): number => Math.round(pixels * 10) / 10;
  return {
    height: height + MARGIN,
    metresPerPixel,
    place: ([lon, lat]) => {
      const x = centre.x + ((lon - (west + east) / 2) * across) / metresPerPixel;
      const y = centre.y - ((lat - middle) * METRES_PER_DEGREE) / metresPerPixel;
      return [round(x), round(y)];
    },
  };
}
