import { lineOfArcs } from './arcs.ts';

// Types of well-known binary (ISO 13249-3, also OGC 06-103r4, 8.2.8): with heights from 1000, with measures
// from 2000, with both from 3000. PostGIS sets the highest bits instead.
const HAS_Z = 0x80000000;
const HAS_M = 0x40000000;
const HAS_SRID = 0x20000000;
const NAMES: Readonly<Record<number, string>> = {
  1: 'Point',
  2: 'LineString',
  3: 'Polygon',
  4: 'MultiPoint',
  5: 'MultiLineString',
  6: 'MultiPolygon',
  7: 'GeometryCollection',
  8: 'LineString',
  9: 'LineString',
  10: 'Polygon',
  11: 'MultiLineString',
  12: 'MultiPolygon',
  15: 'MultiPolygon',
  16: 'MultiPolygon',
  17: 'Polygon',
};
const POINT = 1;
const CIRCULAR_STRING = 8;
const COMPOUND_CURVE = 9;
const CURVE_POLYGON = 10;

const MOST_DEPTH = 32;

type Position = readonly number[];

/** GeoJSON in any reference system. */
export interface WkbGeometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly WkbGeometry[];
}

/**
 * Reads a well-known binary geometry without repairs: open rings stay open, and arcs become lines. If the bytes
 * of a polygon end early, the result is a polygon without coordinates, which the service reports as malformed.
 * @throws TooManyPositions
 */
export function readWkb(bytes: Uint8Array, budget: PositionBudget): WkbGeometry {
  const reader = new WkbReader(bytes, budget);
  try {
    return reader.geometry(0);
  } catch (error) {
    if (error instanceof TooManyPositions) throw error;
    const isArea = reader.firstType === 'Polygon' || reader.firstType === 'MultiPolygon';
    return isArea ? { type: reader.firstType, coordinates: null } : { type: 'unreadable' };
  }
}

export interface PositionBudget {
  left: number;
}

export class TooManyPositions extends Error {
  override readonly name = 'TooManyPositions';
}

interface Header {
  readonly code: number;
  readonly type: string;
  readonly hasZ: boolean;
  readonly hasM: boolean;
}

/** Each part of a geometry has its own byte order and dimensions. */
class WkbReader {
  firstType = '';
  private readonly view: DataView;
  private at = 0;
  private isLittleEndian = true;

  constructor(
    bytes: Uint8Array,
    private readonly budget: PositionBudget,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  geometry(depth: number): WkbGeometry {
    const header = this.header();
    const { code, type } = header;
    if (depth === 0) this.firstType = type;
    if (depth > MOST_DEPTH) throw new RangeError('nested too deeply');
    if (type === 'GeometryCollection') {
      return { type, geometries: this.list(() => this.geometry(depth + 1)) };
    }
    if (code === POINT) return { type, coordinates: this.position(header) };
    if (type === 'LineString') return { type, coordinates: this.curve(header, depth) };
    if (type === 'Polygon') return { type, coordinates: this.rings(header, depth) };
    return {
      type,
      coordinates: this.list(() => this.geometry(depth + 1).coordinates),
    };
  }

  private header(): Header {
    this.isLittleEndian = this.view.getUint8(this.at++) === 1;
    const flags = this.count();
    if ((flags & HAS_SRID) !== 0) this.at += 4;
    const whole = flags & 0xffff;
    const dimensions = Math.floor(whole / 1000);
    const code = whole % 1000;
    const type = NAMES[code];
    if (type === undefined || dimensions > 3) throw new RangeError(`type ${flags}`);
    const hasZ = (flags & HAS_Z) !== 0 || dimensions === 1 || dimensions === 3;
    const hasM = (flags & HAS_M) !== 0 || dimensions >= 2;
    return { code, type, hasZ, hasM };
  }

  private count(): number {
    const value = this.view.getUint32(this.at, this.isLittleEndian);
    this.at += 4;
    return value;
  }

  /** Reads a count and then as many items. A damaged count fails at the end of the bytes. */
  private list<Item>(read: () => Item): readonly Item[] {
    const items: Item[] = [];
    for (let left = this.count(); left > 0; left--) items.push(read());
    return items;
  }

  private position({ hasZ, hasM }: Header): Position {
    const position = (hasZ ? [0, 8, 16] : [0, 8]).map((offset) =>
      this.view.getFloat64(this.at + offset, this.isLittleEndian),
    );
    this.at += 8 * (position.length + Number(hasM));
    return this.countPosition(position);
  }

  private countPosition(position: Position): Position {
    if (this.budget.left-- <= 0) throw new TooManyPositions();
    return position;
  }

  private curve(header: Header, depth: number): readonly Position[] {
    if (header.code === COMPOUND_CURVE) return joinCurves(this.list(() => this.line(depth + 1)));
    const positions = this.list(() => this.position(header));
    if (header.code !== CIRCULAR_STRING) return positions;
    return Array.from(lineOfArcs(positions), (position) => this.countPosition(position));
  }

  private line(depth: number): readonly Position[] {
    const header = this.header();
    if (header.type !== 'LineString' || depth > MOST_DEPTH) throw new RangeError('not a curve');
    return this.curve(header, depth);
  }

  private rings(header: Header, depth: number): readonly (readonly Position[])[] {
    return this.list(() =>
      header.code === CURVE_POLYGON ? this.line(depth + 1) : this.list(() => this.position(header)),
    );
  }
}

/** Each curve starts where the previous curve ends. */
function joinCurves(curves: readonly (readonly Position[])[]): readonly Position[] {
  return curves.flatMap((curve, index) => (index === 0 ? curve : curve.slice(1)));
}
