import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJobPolygon } from '../../../engine/geometry/parse.ts';
import type { Position } from '../../../engine/geometry/polygon.ts';
import { MAX_VERTICES } from '../../../engine/geometry/polygon.ts';
import type { GeometryProblem } from '../../../engine/geometry/problem.ts';
import { assembleCog } from '../../../engine/raster/cog/assemble.ts';
import { parseBlockIndex } from '../../../engine/raster/cog/block-index.ts';
import { drawCellMask, planCells } from '../../../engine/raster/grid/plan.ts';
import { projectPolygon } from '../../../engine/raster/grid/project.ts';
import {
  encodeRaster,
  MemoryTarget,
  memorySource,
  raster,
  rdGrid,
  toLonLat,
  toPolygon,
  waves,
} from '../../support/raster/builders.ts';

const grid = rdGrid();

/** A closed star around a position, in cells of the grid, which is valid by construction. */
const star = fc
  .record({
    col: fc.double({ min: 40, max: 260, noNaN: true }),
    row: fc.double({ min: 40, max: 360, noNaN: true }),
    reach: fc.array(fc.double({ min: 5, max: 30, noNaN: true }), { minLength: 4, maxLength: 20 }),
  })
  .map(({ col, row, reach }) => {
    const ring = reach.map((r, i): Position => {
      const angle = (2 * Math.PI * i) / reach.length;
      return [col + r * Math.cos(angle), row + r * Math.sin(angle)];
    });
    return toLonLat(grid, [...ring, ...ring.slice(0, 1)]);
  });

const polygon = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings });

function problemOf(value: unknown): GeometryProblem {
  const parsed = parseJobPolygon(value);
  if (parsed.kind !== 'problem') throw new Error('taken');
  return parsed;
}

function cellsOf(ring: readonly Position[]): string {
  const taken = toPolygon([...ring]);
  const plan = planCells(taken, grid);
  if (plan === null) throw new Error('no cells');
  const mask = drawCellMask(projectPolygon(taken, grid), plan.window, plan);
  return JSON.stringify([plan.window, Buffer.from(mask).toString('base64')]);
}

describe('a hostile polygon', () => {
  it('is rejected with the index of the vertex that has an invalid coordinate', () => {
    const wrong = fc.oneof(
      fc.constantFrom(Number.NaN, Infinity, -Infinity, 1e308, -1e308, 180.000_001, 1e21),
      fc.constantFrom('5', null, undefined, true, [], {}),
    );
    fc.assert(
      fc.property(star, fc.nat(), fc.constantFrom(0, 1), wrong, (ring, at, axis, value) => {
        const vertex = at % (ring.length - 1);
        const broken: unknown[][] = ring.map((position) => [...position]);
        (broken[vertex] ?? [])[axis] = value;
        const { code, message } = problemOf(polygon(broken));
        expect(['geometry_malformed', 'coordinates_out_of_range']).toContain(code);
        expect(message).toContain(`coordinates[0][${vertex}]`);
      }),
    );
  });

  it('with ten million vertices is rejected before any vertex is read', () => {
    const ring: unknown[] = [];
    ring.length = 10_000_001;
    Object.defineProperty(ring, 0, {
      get() {
        throw new Error('was read');
      },
    });
    const { code, message } = problemOf(polygon(ring));
    expect(code).toBe('too_many_vertices');
    expect(message).toContain('10000000');
    expect(message).toContain(String(MAX_VERTICES));
  });

  it('with a million rings is rejected at the first vertex above the limit', () => {
    const ring = [
      [5, 51],
      [6, 51],
      [6, 52],
      [5, 51],
    ];
    const rings: unknown[] = Array.from({ length: 1_000_000 }, () => ring);
    // The 3,334th ring contains the 10,000th vertex.
    Object.defineProperty(rings, 4_000, { value: 'never looked at' });
    expect(problemOf({ type: 'Polygon', coordinates: rings }).code).toBe('too_many_vertices');
  });

  it('is rejected if it has a spike', () => {
    const share = fc.double({ min: 0.1, max: 3, noNaN: true });
    fc.assert(
      fc.property(star, fc.nat(), share, (ring, at, length) => {
        const vertex = 1 + (at % (ring.length - 2));
        const [here, before] = [ring[vertex], ring[vertex - 1]];
        if (here === undefined || before === undefined) return;
        const tip: Position = [
          here[0] + (here[0] - before[0]) * length,
          here[1] + (here[1] - before[1]) * length,
        ];
        const spiked = [...ring.slice(0, vertex + 1), tip, here, ...ring.slice(vertex + 1)];
        const found = problemOf(polygon(spiked));
        expect(found.code).toBe('geometry_self_intersection');
        expect(found.location).not.toBeNull();
      }),
    );
  });

  it('covers the same cells for any winding, start vertex and repeated positions', () => {
    fc.assert(
      fc.property(
        star,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 5 }),
        (ring, at, from, times) => {
          const open = ring.slice(0, -1);
          const start = from % open.length;
          const turned = [...open.slice(start), ...open.slice(0, start)];
          const vertex = at % turned.length;
          const repeated = turned.flatMap((position, i) =>
            Array.from({ length: i === vertex ? times : 1 }, () => position),
          );
          const closed = [...repeated, ...repeated.slice(0, 1)];
          for (const same of [closed, [...closed].reverse()]) {
            expect(parseJobPolygon(polygon(same)).kind).toBe('polygon');
            expect(cellsOf(same)).toBe(cellsOf(ring));
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('a hostile block index', () => {
  const of = raster({ width: 300, height: 200, blockTiles: 2 });
  const { blocks, store } = encodeRaster(of, waves);
  const text = JSON.stringify(blocks[0]?.index);

  /** A value that replaces a number in the index. */
  const lie = fc.oneof(
    fc.integer({ min: -2, max: 5 }),
    fc.constantFrom(2 ** 31, 2 ** 32, 2 ** 53, 1e300, -1e300, 0.5),
    fc.integer({ min: 1, max: 200_000 }),
  );

  it('is rejected or yields a file, without large reads, and leaves no upload open', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), lie, async (place, value) => {
        const lying: unknown = JSON.parse(text);
        const numbers = listNumberSetters(lying);
        numbers[place % numbers.length]?.(value);
        const target = new MemoryTarget(store);
        let asked = 0;
        const source = memorySource(store);
        const counting: typeof source = {
          readInto(ref, offset, into) {
            asked = Math.max(asked, into.length);
            return source.readInto(ref, offset, into);
          },
        };
        try {
          const index = parseBlockIndex(lying);
          const lied = blocks.map((block, i) => (i === 0 ? { ...block, index } : block));
          await assembleCog({ raster: of, blocks: lied, source: counting, target });
        } catch {
          refused += 1;
          expect(target.bytes).toBeNull();
        }
        expect(target.openUploads).toBe(0);
        expect(asked).toBeLessThan(16 * 1024 ** 2);
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('is rejected if a tile is longer than its cells allow', () => {
    const index = JSON.parse(text) as { tileBytes: number[][] };
    (index.tileBytes[0] ?? [])[0] = 64 * 64 * 2 * 4 * 2;
    expect(() => parseBlockIndex(index)).toThrow('tileBytes');
  });

  it('is rejected if it is arbitrary JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => parseBlockIndex(value)).toThrow();
      }),
    );
  });
});

function listNumberSetters(value: unknown): ((to: number) => void)[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Record<string, unknown>;
  return Object.keys(members).flatMap((key) => {
    const member = members[key];
    if (typeof member !== 'number') return listNumberSetters(member);
    return [
      (to: number) => {
        members[key] = to;
      },
    ];
  });
}
