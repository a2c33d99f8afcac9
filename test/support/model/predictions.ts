import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Regressor } from '../../../engine/model/regressor.ts';

/** Points and a library's predictions for them, written by the scripts of the fixtures. */
export interface ExpectedPredictions {
  readonly trainer?: string;
  /** A missing value is null. */
  readonly features: readonly (readonly (number | null)[])[];
  readonly expected: readonly (readonly number[])[];
}

export function fixture(path: string): Uint8Array {
  return readFileSync(new URL(`../../fixtures/${path}`, import.meta.url));
}

export function predictionsIn(path: string): ExpectedPredictions {
  return JSON.parse(new TextDecoder().decode(fixture(path)));
}

export async function predictAll(
  regressor: Regressor,
  rows: ExpectedPredictions['features'],
): Promise<number[][]> {
  const { targets } = regressor;
  const out = new Float32Array(rows.length * targets);
  const features = Float32Array.from(rows.flat(), (value) => value ?? Number.NaN);
  await regressor.predict(features, rows.length, out);
  return rows.map((_, i) => [...out.subarray(i * targets, (i + 1) * targets)]);
}

/** Expects each value to have a relative error of at most 1e-5. */
export function expectClose(
  predictions: readonly (readonly number[])[],
  expected: readonly (readonly number[])[],
): void {
  expect(predictions).toHaveLength(expected.length);
  for (const [i, row] of expected.entries()) {
    expect(predictions[i]).toHaveLength(row.length);
    for (const [target, value] of row.entries()) {
      const difference = Math.abs((predictions[i]?.[target] ?? Number.NaN) - value);
      const allowed = 1e-5 * Math.abs(value);
      expect(difference, `point ${i}, target ${target}`).toBeLessThanOrEqual(allowed);
    }
  }
}
