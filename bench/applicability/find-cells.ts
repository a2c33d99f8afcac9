import { createApplicabilityTest } from '#engine/model/applicability/applicability.ts';
import type { Covariate } from '#engine/model/pack/manifest.ts';
import { walkTiles } from '#engine/model/tile-order.ts';
import { randomFrom } from '../random.ts';

// A map of smooth covariates with noise, and points of the training on its left part.
const [points = 10_000, wider = 1] = process.argv.slice(2).map(Number);
const COVARIATES = 8;
const EDGE = 512;
const NOISE = 0.1;
const random = randomFrom(1);
const waves = Array.from({ length: COVARIATES }, () => [random() * 6, random() * 6, random() * 6]);
const weights = waves.map((_, k) => 0.7 ** k);
const placeOf = (x: number, y: number): number[] =>
  waves.map(
    ([a = 0, b = 0, c = 0]) => Math.sin(a * x + 6 * b) + Math.cos(c * y) + NOISE * random(),
  );

const training = Array.from({ length: points }, () => placeOf(random() * 3, random() * 3));
const file = new DataView(new ArrayBuffer(points * COVARIATES * 4));
for (const [i, value] of training.flat().entries()) file.setFloat32(i * 4, value, true);
const covariates = weights.map(
  (_, k): Covariate => ({ kind: 'coordinate', name: `c${k}`, description: '', axis: 'x' }),
);
const declared = { href: '', points, weights, how: '' };

/** The share of other points of the training that lie outside at a threshold; CAST's leaves out few. */
function outside(threshold: number): number {
  const isInside = createApplicabilityTest(
    { ...declared, mean_distance: 1, threshold },
    covariates,
    new Uint8Array(file.buffer),
  );
  const others = Array.from({ length: 1_000 }, () => placeOf(random() * 3, random() * 3));
  return others.filter((other) => !isInside(other, 0)).length / others.length;
}
let threshold = 0.02;
while (outside(threshold) > 0.05) threshold *= 1.1;

const cells = new Float32Array(EDGE ** 2 * COVARIATES);
let filled = 0;
for (const { from, to } of walkTiles(EDGE ** 2, EDGE)) {
  for (let cell = from; cell < to; cell += 1) {
    const [x, y] = [(cell % EDGE) / EDGE, Math.floor(cell / EDGE) / EDGE];
    cells.set(placeOf(3 * wider * x, 3 * y), filled);
    filled += COVARIATES;
  }
}
const isInside = createApplicabilityTest(
  { ...declared, mean_distance: 1, threshold },
  covariates,
  new Uint8Array(file.buffer),
);
let [least, inside] = [Infinity, 0];
for (let round = 0; round < 5; round += 1) {
  const before = process.cpuUsage();
  inside = 0;
  for (let at = 0; at < cells.length; at += COVARIATES) if (isInside(cells, at)) inside += 1;
  const { user, system } = process.cpuUsage(before);
  least = Math.min(least, (user + system) / EDGE ** 2);
}
console.log(JSON.stringify({ outside: 1 - inside / EDGE ** 2, microseconds: least }));
