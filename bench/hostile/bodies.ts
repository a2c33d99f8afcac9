import { LIMITS } from '../../lambdas/domain/limits.ts';
import { thinZigzag } from '../../test/support/thin-zigzag.ts';
import { createBody } from '../create/body.ts';

export type Outline = readonly (readonly [number, number])[];

export interface HostileBody {
  readonly name: string;
  readonly text: string;
}

const roundDegrees = (value: number) => Number(value.toFixed(6));
const closeOutline = (outline: Outline) => [...outline, outline[0]];

export const toPolygon = (outline: Outline) => ({
  type: 'Polygon',
  coordinates: [closeOutline(outline)],
});
export const toMultiPolygon = (outlines: readonly Outline[]) => ({
  type: 'MultiPolygon',
  coordinates: outlines.map((outline) => [closeOutline(outline)]),
});

/** Builds long edges above each other: none cross, and the sweep line contains all of them. */
export function zigzag(vertices: number): Outline {
  const teeth = Array.from(
    { length: vertices - 1 },
    (_, i) => [i % 2, roundDegrees(i / 120)] as const,
  );
  return [...teeth, [-1, 0]];
}

/** Builds long edges so close to one line that only exact arithmetic can distinguish them. */
export function nearlyOneLine(vertices: number): Outline {
  const edges = Math.floor(vertices / 2) - 1;
  const teeth = Array.from({ length: edges }, (_, i) => {
    const [near, far] = [1 + ((i * 7) % 10) / 10, 50 + ((i * 3) % 10) / 10];
    const step = 2 ** -45;
    return [
      [near, near + 2 * i * step],
      [far, far + (2 * i + 1) * step],
    ] as const;
  });
  return [...teeth.flat(), [0, 60]];
}

/** Builds long teeth with increasing starts, so that the sweep line contains all of them. */
export function comb(vertices: number): Outline {
  const teeth = Array.from({ length: Math.floor(vertices / 2) - 1 }, (_, i) => {
    const lat = roundDegrees(i * 0.002);
    return [
      [roundDegrees(i * 0.0001), lat],
      [2, roundDegrees(lat + 0.001)],
    ] as const;
  });
  return [...teeth.flat(), [3, 0], [3, -1]];
}

export function spiral(vertices: number): Outline {
  const side = (width: number) =>
    Array.from({ length: Math.floor(vertices / 2) }, (_, i) => {
      const [angle, radius] = [i * 0.35, i * 0.0007 + width];
      return [
        roundDegrees(5 + radius * Math.cos(angle)),
        roundDegrees(50 + radius * Math.sin(angle)),
      ] as const;
    });
  return [...side(0), ...side(0.004).reverse()];
}

export function star(vertices: number): readonly Outline[] {
  const parts = Math.floor(vertices / 3);
  return Array.from({ length: parts }, (_, i) => {
    const [a, b] = [(2 * Math.PI * i) / parts, (2 * Math.PI * (i + 0.5)) / parts];
    return [
      [0, 0],
      [roundDegrees(Math.cos(a)), roundDegrees(Math.sin(a))],
      [roundDegrees(Math.cos(b)), roundDegrees(Math.sin(b))],
    ];
  });
}

export function separateTriangles(vertices: number): readonly Outline[] {
  return Array.from({ length: Math.floor(vertices / 3) }, (_, i) => {
    const [lon, lat] = [(i % 100) / 2, Math.floor(i / 100) / 2];
    return [
      [lon, lat],
      [lon + 0.25, lat],
      [lon, lat + 0.25],
    ];
  });
}

/** The body has as many jobs as the limits allow. */
export function writeJobs(
  vertices: number,
  geometry: object,
  most: number = LIMITS.verticesPerBatch,
): string {
  const job = JSON.stringify({ polygon: geometry, year: 2024 });
  const jobs = Math.min(
    LIMITS.jobsPerBatch,
    Math.floor(most / vertices),
    Math.floor((LIMITS.bodyBytes - 20) / (job.length + 1)),
  );
  return `{"jobs":[${Array.from({ length: jobs }, () => job).join(',')}]}`;
}

/** Writes items, separated by commas, until the body is full. */
export function fillBody(before: string, item: (index: number) => string, after: string): string {
  const items: string[] = [];
  let bytes = before.length + after.length;
  for (let index = 0; ; index += 1) {
    const text = item(index);
    bytes += text.length + 1;
    if (bytes > LIMITS.bodyBytes) return `${before}${items.join(',')}${after}`;
    items.push(text);
  }
}

const foreignFields = (item: (index: number) => string) =>
  fillBody('{"jobs":[{"polygon":{"a":[', item, ']},"year":2024}]}');
const escapedField = (index: number) => `"\\u0061${index.toString(36)}":1`;
const field = (index: number) => `"${index.toString(36)}":1`;

/** The grid of the default pack: west, south, east, north. */
const GRID = [5.7205, 50.954, 5.766, 50.993] as const;
/** `INSIDE` lies in the default pack's coverage, and `CORNER` crosses the coverage's north-western edge. */
const INSIDE = [5.742, 50.972, 5.748, 50.976] as const;
const CORNER = [5.722, 50.985, 5.73, 50.991] as const;

/**
 * Lists thin triangles side by side over part of the grid, each of which must be compared with the model's coverage.
 */
function listSlabs(
  parts: number,
  [west, south, east, north]: readonly [number, number, number, number],
) {
  const step = (east - west) / parts;
  return Array.from({ length: parts }, (_, i): Outline => {
    const lon = west + i * step;
    return [
      [lon, south],
      [lon + step / 2, south],
      [lon, north],
    ];
  });
}

/** Lists the most expensive bodies that were found: accepted ones, as large as the limits allow, and rejected ones. */
export function listHostileBodies(): readonly HostileBody[] {
  return [
    { name: 'fields of 20 vertices', text: createBody(LIMITS.jobsPerBatch, 20) },
    {
      name: 'zigzags of 150 vertices over the grid',
      text: writeJobs(150, thinZigzag(GRID, 150, 1e-9)),
    },
    {
      name: 'zigzags of 1,000 vertices over the grid',
      text: writeJobs(1_000, thinZigzag(GRID, 1_000, 1e-9)),
    },
    { name: 'slabs in the coverage', text: writeJobs(999, toMultiPolygon(listSlabs(333, INSIDE))) },
    {
      name: 'slabs across the edge of the coverage',
      text: writeJobs(999, toMultiPolygon(listSlabs(333, CORNER))),
    },
    { name: 'zigzags', text: writeJobs(998, toPolygon(zigzag(998))) },
    { name: 'zigzags', text: writeJobs(10_000, toPolygon(zigzag(10_000))) },
    { name: 'edges nearly on one line', text: writeJobs(998, toPolygon(nearlyOneLine(998))) },
    { name: 'edges nearly on one line', text: writeJobs(10_000, toPolygon(nearlyOneLine(10_000))) },
    { name: 'combs', text: writeJobs(10_000, toPolygon(comb(10_000))) },
    { name: 'spirals', text: writeJobs(10_000, toPolygon(spiral(10_000))) },
    { name: 'triangles that touch in one point', text: writeJobs(998, toMultiPolygon(star(998))) },
    { name: 'triangles', text: writeJobs(10_000, toMultiPolygon(separateTriangles(10_000))) },
    { name: 'empty arrays', text: foreignFields(() => '[]') },
    { name: 'deep arrays', text: foreignFields(() => '['.repeat(58) + ']'.repeat(58)) },
    { name: 'objects with a field each', text: foreignFields((i) => `{${field(i)}}`) },
    {
      name: 'foreign fields of a polygon',
      text: fillBody('{"jobs":[{"polygon":{', field, '},"year":2024}]}'),
    },
    {
      name: 'foreign fields of a polygon, with escapes',
      text: fillBody('{"jobs":[{"polygon":{', escapedField, '},"year":2024}]}'),
    },
    {
      name: 'zigzags with too many vertices',
      text: writeJobs(998, toPolygon(zigzag(998)), Number.MAX_VALUE),
    },
    { name: 'unknown fields', text: fillBody('{', field, '}') },
    { name: 'unknown fields of a job', text: fillBody('{"jobs":[{', field, '}]}') },
    { name: 'one repeated field', text: fillBody('{', () => '"a":1', '}') },
    { name: 'invalid JSON at the end', text: fillBody('{"jobs":[', () => '0', ']!') },
  ];
}
