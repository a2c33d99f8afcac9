import { type Bench, type BenchReport, judged } from './bench.ts';
import { bundled, node } from './measured-process.ts';

interface Summed {
  readonly pointCount: number;
  readonly edge: number;
  readonly sumCpu: number;
  readonly assembleCpu: number;
  readonly addedMib: number;
}

const SIZES = [1_000, 3_162, 11_284];
const MOST_MIB = 100;
/** The speed of meuse-soc on one vCPU. */
const POINTS_PER_SECOND = 190_000;

export const bench: Bench = {
  title: 'the mean of a disc with its interval, beside its prediction',
  async run(): Promise<BenchReport> {
    const program = bundled('summary/sum-disc.ts');
    const rows = SIZES.map((size) => {
      const { pointCount, edge, ...summed } = node<Summed>(program, size);
      const perCell = ((summed.sumCpu + summed.assembleCpu) / pointCount) * 1e6;
      return [
        pointCount.toLocaleString('en'),
        `${edge} × ${edge}`,
        summed.sumCpu.toFixed(2),
        summed.assembleCpu.toFixed(2),
        perCell.toFixed(3),
        `${(perCell * POINTS_PER_SECOND * 1e-4).toFixed(1)} %`,
        judged(summed.addedMib, { most: MOST_MIB }, 0),
      ];
    });
    return {
      columns: [
        'cells',
        'node',
        'blocks CPU s',
        'assembly CPU s',
        'µs per cell',
        'of prediction',
        'assembly MiB',
      ],
      rows,
      notes: [
        `Cells of 10 m, correlation with a range of 150 m. Prediction: ${POINTS_PER_SECOND.toLocaleString('en')} cells per second and vCPU, as meuse-soc declares. The last column is the memory that the assembly adds. Nodes of one cell, up to 4 million cells, are exact and cost the most. It must not grow with the cells.`,
      ],
      versions: {},
    };
  },
};
