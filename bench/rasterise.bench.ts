import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchReport } from './bench.ts';
import { bundled, node, python, ratio } from './measured-process.ts';

const SIZE = 4_096;
const VERTICES = 10_000;
const ROUNDS = 9;

interface Masked {
  readonly centre: number;
  readonly touched: number;
}

interface GdalMasked extends Masked {
  readonly inside: number;
  readonly different: number;
  readonly gdal: string;
}

export const bench: Bench = {
  title: 'rasterising a polygon of 10,000 vertices over 4,096² cells, compared with GDAL',
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-rasterise-'));
    try {
      const [polygon, mask] = [join(folder, 'polygon.json'), join(folder, 'mask')];
      writeFileSync(polygon, JSON.stringify(coastline()));
      const ours = node<Masked>(bundled('rasterise/mask.ts'), polygon, SIZE, mask, ROUNDS);
      const gdal = python<GdalMasked>('rasterise/gdal_mask.py', polygon, SIZE, mask, ROUNDS);
      const milliseconds = (seconds: number): string => (seconds * 1000).toFixed(0);
      return {
        columns: ['rule', 'GDAL ms', 'ours ms', 'ours ÷ GDAL'],
        rows: (['centre', 'touched'] as const).map((rule) => [
          rule === 'centre' ? 'cells whose centre is inside' : 'every cell touched',
          milliseconds(gdal[rule]),
          milliseconds(ours[rule]),
          ratio(ours[rule], gdal[rule]),
        ]),
        notes: [
          `CPU time of one mask, best of ${ROUNDS}; both start from a polygon in memory, in cell coordinates. ${gdal.different} of ${gdal.inside.toLocaleString('en')} cells differ. Goal: ≤ 1.`,
        ],
        versions: { GDAL: gdal.gdal },
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Star-shaped and ragged at every scale. No vertex is on a cell's centre or edge, where rules differ. */
function coastline(): readonly (readonly [number, number])[] {
  const ring = Array.from({ length: VERTICES }, (_, i): [number, number] => {
    const angle = (2 * Math.PI * i) / VERTICES;
    const reach =
      (SIZE / 2 - 60) *
      (0.7 + 0.15 * Math.sin(5 * angle) + 0.1 * Math.sin(61 * angle) + 0.04 * Math.sin(1_999 * i));
    const odd = (value: number): number => (2 * Math.round(value * 500) + 1) / 1000;
    return [odd(SIZE / 2 + reach * Math.cos(angle)), odd(SIZE / 2 + reach * Math.sin(angle))];
  });
  return [...ring, ...ring.slice(0, 1)];
}
