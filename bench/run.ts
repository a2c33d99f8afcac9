import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { writeSection } from './results.ts';

// npm run bench            lists the benchmarks
// npm run bench -- NAME …  runs bench/NAME.bench.ts and rewrites its section of bench/RESULTS.md
// npm run bench -- all     runs all of them, one after the other

const SUFFIX = '.bench.ts';
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();

const requested = process.argv.slice(2);
const unknown = requested.filter((name) => name !== 'all' && !names.includes(name));
if (requested.length === 0 || unknown.length > 0) {
  for (const name of unknown) console.error(`Unknown benchmark: ${name}`);
  console.error(`Benchmarks: ${names.join(', ')}, or all.`);
  process.exit(unknown.length > 0 ? 1 : 0);
}

for (const name of requested.includes('all') ? names : requested) {
  const { bench } = (await import(join(import.meta.dirname, name + SUFFIX))) as { bench: Bench };
  console.log(`${name}: ${bench.title}`);
  console.log(writeSection(name, bench.title, await bench.run()));
}
