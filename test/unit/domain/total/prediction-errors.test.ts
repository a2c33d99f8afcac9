import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NUMBERS_PER_NODE } from '../../../../engine/raster/summary/coarse-nodes.ts';
import {
  decodePredictionErrors,
  encodePredictionErrors,
  type PredictionErrors,
} from '../../../../lambdas/domain/total/prediction-errors.ts';

const amount = fc.double({ min: 0, max: 1e12, noNaN: true, noDefaultInfinity: true });
const nodes = fc
  .tuple(
    fc.tuple(amount, amount, amount),
    fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 4 }),
  )
  .map(([origin, numbers]) => ({
    origin,
    values: Float32Array.from(numbers.flatMap((number) => Array(NUMBERS_PER_NODE).fill(number))),
  }));
const job: fc.Arbitrary<PredictionErrors> = fc.record({
  job_index: fc.nat(999),
  square_metres: amount.map((value) => value + 1),
  nugget: fc.double({ min: 0, max: 1, noNaN: true }),
  range_m: amount.map((value) => value + 1),
  systematic_relative_sd: amount,
  z: fc.constant(1.6448536269514722),
  level: fc.constant(0.9),
  support: fc.record({ lower: fc.option(amount), upper: fc.option(amount) }),
  squares: amount,
  pairs: amount,
  widths: fc.record({ sd: amount, lower: amount, upper: amount }),
  nodes: fc.option(nodes),
});

it('prediction errors are read back as written, alone or joined, from any bytes', () => {
  fc.assert(
    fc.property(fc.array(job, { maxLength: 5 }), fc.nat(7), (jobs, offset) => {
      const bytes = encodePredictionErrors(jobs);
      const shifted = new Uint8Array(bytes.length + offset);
      shifted.set(bytes, offset);
      expect(decodePredictionErrors(shifted.subarray(offset))).toEqual(jobs);
      const joined = encodePredictionErrors(
        jobs.flatMap((one) => decodePredictionErrors(encodePredictionErrors([one]))),
      );
      expect(joined).toEqual(bytes);
    }),
  );
});
