import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLING, listDeployedHandlers } from '../lib/build/function-code.ts';
import type { Bench, BenchReport } from './bench.ts';
import { computeMedian } from './own-use.ts';

const ROUNDS = 3;

/** Prints the CPU time of loading a module, without the start of Node. */
const LOAD = `
const before = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
process.exit(0);`;

function bundleFunction(name: string, folder: string): string {
  const outfile = join(folder, `${name}.mjs`);
  buildSync({
    ...BUNDLING,
    entryPoints: [`lambdas/api/functions/${name}.ts`],
    outfile,
  });
  return outfile;
}

function measureInitMs(file: string): number {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', LOAD, file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(printed.trim().split('\n').at(-1));
}

function listFunctions(): readonly string[] {
  return listDeployedHandlers().flatMap((handler) => {
    const { dir, base } = parse(handler);
    return dir === 'api/functions' ? [base] : [];
  });
}

export const bench: Bench = {
  title: 'CPU time of the initialisation of each API function',
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-cold-start-'));
    try {
      const bundles = listFunctions().map((name) => ({
        name,
        file: bundleFunction(name, folder),
        times: [] as number[],
      }));
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const { file, times } of bundles) times.push(measureInitMs(file));
      }
      const kB = (file: string) => Math.round(statSync(file).size / 1_000);
      return {
        columns: ['function', 'bundle kB', 'initialisation CPU ms'],
        rows: bundles.map(({ name, file, times }) => [
          name,
          String(kB(file)),
          computeMedian(times).toFixed(0),
        ]),
        notes: [
          `Every load of a bundle runs in a new Node process. The CPU time excludes the start of Node, and is the median of ${ROUNDS} runs.`,
        ],
        versions: {},
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
