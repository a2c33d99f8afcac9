import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, countMissedGoals } from './bench.ts';
import { describeConditions, keepSections, writeSection } from './results.ts';

// npm run bench            runs every benchmark, and renews the whole of bench/RESULTS.md
// npm run bench -- NAME …  runs bench/NAME.bench.ts and renews its section

const SUFFIX = '.bench.ts';
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();

const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  for (const name of unknown) console.error(`Unknown benchmark: ${name}`);
  console.error(`Benchmarks: ${names.join(', ')}.`);
  process.exit(1);
}

keepSections(names);
for (const name of requested.length === 0 ? names : requested) {
  try {
    const { bench } = (await import(join(import.meta.dirname, name + SUFFIX))) as { bench: Bench };
    console.log(`${name}: ${bench.title}`);
    const conditions = describeConditions();
    const report = await bench.run();
    console.log(writeSection(name, bench.title, report, conditions));
    const missed = countMissedGoals(report);
    if (missed === 0) continue;
    console.error(`${name} misses ${missed} of its goals.`);
    process.exitCode = 1;
  } catch (error) {
    // A benchmark that fails keeps its old section; the others are renewed.
    console.error(`${name} failed:`, error);
    process.exitCode = 1;
  }
}
