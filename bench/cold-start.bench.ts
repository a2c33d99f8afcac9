import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLING, deployedHandlers } from '../lib/function-code.ts';
import type { Bench, BenchReport } from './bench.ts';
import { median } from './own-use.ts';

const ROUNDS = 3;

/** CPU time of loading the module, without the start of Node. */
const LOAD = `
const before = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
process.exit(0);`;

function bundle(operation: string, folder: string, withAliases: boolean): string {
  const outfile = join(folder, `${operation}-${withAliases}.mjs`);
  buildSync({
    ...BUNDLING,
    entryPoints: [`lambdas/api/functions/${operation}.ts`],
    outfile,
    ...(withAliases ? {} : { alias: {} }),
  });
  return outfile;
}

function initMs(file: string): number {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', LOAD, file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(printed.trim().split('\n').at(-1));
}

function operations(): readonly string[] {
  return deployedHandlers().flatMap((handler) => {
    const { dir, base } = parse(handler);
    return dir === 'api/functions' ? [base] : [];
  });
}

export const bench: Bench = {
  title: 'initialisation of each function of the API',
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-cold-start-'));
    try {
      const sides = operations().map((operation) => ({
        operation,
        whole: { file: bundle(operation, folder, false), times: [] as number[] },
        lean: { file: bundle(operation, folder, true), times: [] as number[] },
      }));
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const { whole, lean } of sides) {
          for (const side of [whole, lean]) side.times.push(initMs(side.file));
        }
      }
      const kB = (file: string) => Math.round(statSync(file).size / 1_000);
      return {
        columns: [
          'operation',
          'kB',
          'init CPU ms',
          'kB, plain SDK',
          'init CPU ms, plain SDK',
          'CPU ÷',
        ],
        rows: sides.map(({ operation, whole, lean }) => [
          operation,
          String(kB(lean.file)),
          median(lean.times).toFixed(0),
          String(kB(whole.file)),
          median(whole.times).toFixed(0),
          (median(lean.times) / median(whole.times)).toFixed(2),
        ]),
        notes: [
          `Each bundle loaded by a new Node process, median of ${ROUNDS}; plain SDK: the same code without the aliases of \`lib/bundle-aliases.ts\`.`,
        ],
        versions: {},
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
