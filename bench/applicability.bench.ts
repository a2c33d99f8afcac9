import { type Bench, type BenchReport, judged } from './bench.ts';
import { bundled, node } from './measured-process.ts';

interface Found {
  readonly outside: number;
  readonly microseconds: number;
}

const POINTS = [150, 2_000, 10_000];
/** A map as wide as its training, and a map of twice the width. */
const WIDTHS = [1, 2];
/** The speed of meuse-soc on one vCPU. */
const POINTS_PER_SECOND = 190_000;
const MOST_PERCENT = 20;

export const bench: Bench = {
  title: 'cells inside and outside the area of applicability, beside their prediction',
  async run(): Promise<BenchReport> {
    const program = bundled('applicability/find-cells.ts');
    const rows = POINTS.flatMap((points) =>
      WIDTHS.map((width) => {
        const { outside, microseconds } = node<Found>(program, points, width);
        return [
          points.toLocaleString('en'),
          `${(100 * outside).toFixed(0)} %`,
          microseconds.toFixed(2),
          judged(microseconds * POINTS_PER_SECOND * 1e-4, { most: MOST_PERCENT }, 1),
        ];
      }),
    );
    return {
      columns: ['points of the training', 'cells outside', 'CPU µs per cell', '% of prediction'],
      rows,
      notes: [
        `8 smooth covariates with noise on 512 × 512 cells, least of 5 rounds. Prediction: ${POINTS_PER_SECOND.toLocaleString('en')} cells per second and vCPU, as meuse-soc declares, whose forest has 153 samples. Forests of more samples are slower.`,
      ],
      versions: {},
    };
  },
};
