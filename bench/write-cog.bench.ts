import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, type BenchReport, formatAgainstGoal } from './bench.ts';
import {
  bundleProgram,
  chooseBest,
  type Measured,
  runNode,
  runPython,
} from './measured-process.ts';

/** Set BENCH_SIZE and BENCH_ROUNDS for a shorter run. */
const SIZE = Number(process.env['BENCH_SIZE'] ?? 10_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 2);

interface Equality {
  readonly size: readonly number[];
  readonly cells_different: number;
  readonly margin_is_nodata: boolean;
  readonly overview_cells_different: readonly number[];
  readonly valid: boolean;
  readonly complaints: readonly string[];
}

interface Side {
  readonly name: string;
  readonly run: () => Measured;
  readonly runs: Measured[];
}

export const bench: Bench = {
  title: `${SIZE.toLocaleString('en')}² float32 cells to a COG, compared with GDAL's COG driver`,
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-cog-'));
    try {
      const program = bundleProgram('cog/write-cog.ts');
      const results = [1, 3].map((bands) => comparePrograms(folder, program, bands));
      return {
        columns: [
          'bands',
          'writer',
          'wall s',
          'CPU s',
          'peak MiB',
          'file MB',
          'time ÷ GDAL',
          'CPU ÷ GDAL',
          'memory ÷ GDAL',
          'size ÷ GDAL',
        ],
        rows: results.flatMap(({ rows }) => rows),
        notes: [
          'GDAL: `COMPRESS=DEFLATE PREDICTOR=YES BLOCKSIZE=512 OVERVIEW_RESAMPLING=AVERAGE`, one or two threads, at its default compression level, 6, or at its fastest, 1. Ours: blocks of 2,048² cells, encoded by one or two threads, stored, then assembled. Our process also makes the copies that S3 would make, so they are measured too. Ratios are to GDAL at level 6 with as many threads.',
          ...results.map(({ note }) => note),
        ],
        versions: results[0]?.versions ?? {},
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function comparePrograms(folder: string, program: string, bands: number) {
  const source = join(folder, 'source.tif');
  const { offset } = runPython<{ offset: number }>('cog/make_raster.py', source, SIZE, bands);
  const theirFile = (level: number): string => join(folder, `theirs-${level}.tif`);
  const ourFile = join(folder, 'ours.tif');
  let version = '';
  const gdal = (threads: number, level: number): Side => ({
    name: `GDAL, ${threads} thread${threads > 1 ? 's' : ''}, level ${level}`,
    run: () => {
      const used = runPython<Measured & { gdal: string }>(
        'cog/gdal_copy.py',
        source,
        theirFile(level),
        threads,
        level,
      );
      version = used.gdal;
      return used;
    },
    runs: [],
  });
  const ours = (workers: number): Side => ({
    name: `ours, ${workers} worker${workers > 1 ? 's' : ''}`,
    run: () => runNode<Measured>(program, source, offset, SIZE, bands, workers, folder, ourFile),
    runs: [],
  });
  const sides = [gdal(1, 6), ours(1), gdal(2, 6), ours(2), gdal(2, 1)];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of sides) {
      const used = side.run();
      console.log(`${bands} bands, ${side.name}: ${JSON.stringify(used)}`);
      side.runs.push(used);
    }
  }
  const equality = runPython<Equality>('cog/compare_cogs.py', ourFile, theirFile(6));
  const sizes = {
    ours: statSync(ourFile).size,
    theirs: statSync(theirFile(6)).size,
    fast: statSync(theirFile(1)).size,
  };
  const [gdal1, ours1, gdal2, ours2, fast] = sides.map((side) => ({
    name: side.name,
    ...chooseBest(side.runs),
  }));
  const rows = [
    [gdal1, null, sizes.theirs],
    [ours1, gdal1, sizes.ours],
    [gdal2, null, sizes.theirs],
    [ours2, gdal2, sizes.ours],
    [fast, gdal2, sizes.fast],
  ] as const;
  return {
    rows: rows.map(([side, base, size]) => {
      if (side === undefined) return [];
      const plain = [
        side.wall_s.toFixed(1),
        side.cpu_s.toFixed(1),
        side.peak_mib.toFixed(0),
        (size / 1e6).toFixed(0),
      ];
      if (base === null || base === undefined)
        return [String(bands), side.name, ...plain, '', '', '', ''];
      const isOurs = side === ours1 || side === ours2;
      const formatShareOfGdal = (value: number, theirs: number, most: number | null): string =>
        formatAgainstGoal(value / theirs, isOurs && most !== null ? { most } : null, 2);
      const ratios = [
        formatShareOfGdal(side.wall_s, base.wall_s, null),
        formatShareOfGdal(side.cpu_s, base.cpu_s, 0.7),
        formatShareOfGdal(side.peak_mib, base.peak_mib, 0.25),
        formatShareOfGdal(size, sizes.theirs, 1.1),
      ];
      return [String(bands), side.name, ...plain, ...ratios];
    }),
    note: formatSentence(bands, equality),
    versions: { GDAL: version },
  };
}

function formatSentence(bands: number, found: Equality): string {
  const overviews = found.overview_cells_different.reduce((sum, cells) => sum + cells, 0);
  const complaints =
    found.valid && found.complaints.length === 0 ? 'no problems' : found.complaints.join('; ');
  return `${bands} band${bands > 1 ? 's' : ''}: ${found.cells_different} cells of our file differ from GDAL's file, and ${overviews} cells of its ${found.overview_cells_different.length} overviews differ from those that GDAL makes from the level below. Our file has ${found.size.join(' × ')} cells; those outside the requested size are ${found.margin_is_nodata ? '' : 'not all '}nodata. \`rio cogeo validate --strict\` reports ${complaints}.`;
}
