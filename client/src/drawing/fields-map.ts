import { colourAt, hexOf } from './colour-ramp.ts';
import { type Html, html, shortened } from './html.ts';
import { type LegendRange, legend, scaleBar } from './legend.ts';
import { FAINT, INK, PAPER } from './text.ts';
import { unitText } from './unit-text.ts';

/** A field of the map; its polygon is in degrees of WGS 84. */
export interface MappedField {
  readonly name: string;
  readonly polygon: FieldPolygon;
  /** Null for a field without a result. */
  readonly value: number | null;
}

export interface FieldPolygon {
  readonly type: string;
  /** Of a Polygon or a MultiPolygon; anything else is not drawn. */
  readonly coordinates?: unknown;
}

export interface FieldsMapOptions {
  /** UDUNITS spelling. */
  readonly unit: string;
  readonly title: string;
  /** Lowest and highest value of the colours; by default those of the fields. */
  readonly range?: LegendRange | undefined;
  /** In pixels. */
  readonly width?: number | undefined;
}

const MARGIN = 16;
const FOOTER = 84;
const TALLEST = 1.2;
const LEGEND_WIDTH = 260;
const NO_VALUE = '#d9d4cc';
const NAME_CHARACTERS = 80;

/** A map of fields as SVG, coloured by their values, with legend and scale bar. Text is escaped. */
export function fieldsMap(fields: readonly MappedField[], options: FieldsMapOptions): string {
  const { unit, title, width = 720 } = options;
  const range = options.range ?? rangeOf(fields);
  const drawn = fields.map((field) => ({ ...field, rings: ringsOf(field.polygon) }));
  const frame = frameOf(
    drawn.flatMap(({ rings }) => rings),
    width - 2 * MARGIN,
  );
  const height = Math.ceil(frame.height + MARGIN + FOOTER);
  const { html: svg } =
    html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">
<title>${shortened(title, NAME_CHARACTERS)}</title>
<rect width="100%" height="100%" fill="${PAPER}"/>
<g stroke="${INK}" stroke-width="0.6" stroke-linejoin="round" fill-rule="evenodd">
${behindFirst(drawn).map((field) => fieldPath(field, frame, range, unit))}</g>
${scaleBar({ x: MARGIN, y: height - 40, width: width - LEGEND_WIDTH - 4 * MARGIN }, frame.metresPerPixel)}
${range === null ? null : legend({ x: width - MARGIN - LEGEND_WIDTH, y: height - 60, width: LEGEND_WIDTH }, range, unit)}
</svg>
`;
  return svg;
}

/** Fields without a value, which may be broken polygons, cover no other. */
function behindFirst<Field extends MappedField>(fields: readonly Field[]): readonly Field[] {
  const isBehind = ({ value }: Field): boolean => value === null;
  return [...fields.filter(isBehind), ...fields.filter((field) => !isBehind(field))];
}

function fieldPath(
  { name, value, rings }: MappedField & { readonly rings: readonly Ring[] },
  frame: Frame,
  range: LegendRange | null,
  unit: string,
): Html {
  const label = value === null ? 'no result' : `${value} ${unitText(unit)}`;
  const path = rings.map((ring) => `M${ring.map((at) => frame.place(at)).join('L')}Z`).join('');
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

/** Positions that are not two numbers are left out: the service has judged the polygon, not this map. */
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

interface Frame {
  readonly height: number;
  readonly metresPerPixel: number;
  place(at: Place): string;
}

const METRES_PER_DEGREE = 111_320;
/** A single small field is not enlarged beyond this. */
const LEAST_METRES = 50;

/** Degrees of longitude and latitude to pixels, with the true shape at the middle latitude. */
function frameOf(rings: readonly Ring[], width: number): Frame {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings) {
    for (const [lon, lat] of ring) {
      [west, east] = [Math.min(west, lon), Math.max(east, lon)];
      [south, north] = [Math.min(south, lat), Math.max(north, lat)];
    }
  }
  if (!Number.isFinite(west)) [west, south, east, north] = [0, 0, 0, 0];
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
      return `${round(x)} ${round(y)}`;
    },
  };
}
