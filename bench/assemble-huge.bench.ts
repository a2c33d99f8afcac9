import type { Bench, BenchReport } from './bench.ts';
import { best, bundled, type Measured, node } from './measured-process.ts';

const SIZE = 100_000;
const ROUNDS = 2;

interface Assembled extends Measured {
  readonly blocks: number;
  readonly parts: number;
  readonly copied: number;
  readonly uploaded: number;
}

export const bench: Bench = {
  title: 'assembly of 100,000² float32 cells from blocks, with a simulated S3',
  async run(): Promise<BenchReport> {
    const program = bundled('cog/assemble-huge.ts');
    const rows = [
      { blockTiles: 8, bands: 1 },
      { blockTiles: 16, bands: 1 },
      { blockTiles: 16, bands: 3 },
    ].map(({ blockTiles, bands }) => {
      const runs = Array.from({ length: ROUNDS }, () =>
        node<Assembled>(program, SIZE, blockTiles, bands),
      );
      const { cpu_s, peak_mib } = best(runs);
      const { blocks = 0, parts = 0, copied = 0, uploaded = 0 } = runs[0] ?? {};
      return [
        `${(blockTiles * 512).toLocaleString('en')}²`,
        String(blocks),
        String(bands),
        cpu_s.toFixed(1),
        peak_mib.toFixed(0),
        ((copied + uploaded) / 1e9).toFixed(1),
        `${((100 * copied) / (copied + uploaded)).toFixed(1)} %`,
        String(parts),
      ];
    });
    return {
      columns: [
        'block',
        'blocks',
        'bands',
        'CPU s',
        'peak MiB',
        'file GB',
        'copied by S3',
        'parts',
      ],
      rows,
      notes: [
        'Plan, header, overviews above those of the blocks, and every part of the upload; resources of the whole process. A job has at most 400 patch-batches, so rasters of this size have blocks of 8,192². Goals: < 5 s of CPU, < 256 MB.',
      ],
      versions: {},
    };
  },
};
