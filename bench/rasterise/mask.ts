import { readFileSync, writeFileSync } from 'node:fs';
import { rasterise, rasteriseTouched } from '#engine/raster/grid/rasterise.ts';

// Usage: mask POLYGON SIZE MASK ROUNDS
// CPU seconds of one mask of SIZE² cells, the best of the rounds; writes the last mask.

const [path = '', size = '', out = '', rounds = ''] = process.argv.slice(2);
const ring = JSON.parse(readFileSync(path, 'utf8')) as [number, number][];
const projected = { rings: [Float64Array.from(ring.flat())] };
const window = { col: 0, row: 0, width: Number(size), height: Number(size) };

let mask: Uint8Array = new Uint8Array(0);
function measure(rule: typeof rasterise): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < Number(rounds); round += 1) {
    const before = process.cpuUsage();
    mask = rule(projected, window);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1e6);
  }
  return least;
}

const touched = measure(rasteriseTouched);
const centre = measure(rasterise);
writeFileSync(out, mask);
console.log(JSON.stringify({ centre, touched }));
