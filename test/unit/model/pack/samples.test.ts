import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSample, SAMPLE_TYPES } from '../../../../engine/model/pack/sample-types.ts';
import { toSample } from '../../../../engine/model/pack/samples.ts';
import * as writer from '../../../../engine/raster/cog/sample-type.ts';

describe('the sample types of a manifest', () => {
  it("equal the COG writer's types", () => {
    expect(SAMPLE_TYPES).toEqual(writer.SAMPLE_TYPES);
  });

  it.each(SAMPLE_TYPES)('have the COG writer’s range: %s', (type) => {
    const number = fc.oneof(
      fc.integer({ min: -70_000, max: 70_000 }),
      fc.double(),
      fc.constantFrom(-32_769, -32_768, 32_767, 32_768, -1, 255, 256, 65_535, 65_536, 3.5e38),
    );
    fc.assert(
      fc.property(number, (value) => {
        let taken: number | undefined;
        try {
          taken = writer.roundToSample(type, value);
        } catch {
          taken = undefined;
        }
        // The writer rounds to float32, so a manifest must give the rounded number.
        expect(isSample(type, value)).toBe(taken !== undefined && taken === value);
      }),
    );
  });
});

it('an integer cell stores its value to half a step of the scale', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -300, max: 300, noNaN: true }),
      fc.double({ min: 0.001, max: 10, noNaN: true }),
      fc.double({ min: -50, max: 50, noNaN: true }),
      (value, scale, offset) => {
        const stored = toSample('int16', { scale, offset }, value);
        expect(Number.isInteger(stored)).toBe(true);
        expect(Math.abs(stored * scale + offset - value)).toBeLessThanOrEqual(scale / 2 + 1e-9);
      },
    ),
  );
});
