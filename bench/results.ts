import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import type { BenchReport } from './bench.ts';

const RESULTS = join(import.meta.dirname, 'RESULTS.md');

const PREFACE = `# Benchmarks

Written by \`npm run bench\`; \`npm run bench -- <name>\` rewrites one section. Compared programs alternate on one
machine, so the ratios are more portable than the seconds. A figure's goal follows it in parentheses. ✗ marks a figure that
misses its goal; the command then fails.
`;

export function keepSections(names: readonly string[]): void {
  writeSections([...readSections()].filter(([name]) => names.includes(name)));
}

/** Replaces the benchmark's section, or adds it in alphabetical order. @returns its text */
export function writeSection(
  name: string,
  title: string,
  report: BenchReport,
  conditions: string,
): string {
  const text = formatSection(name, title, report, conditions);
  writeSections([...readSections().set(name, text)]);
  return text;
}

function writeSections(sections: readonly (readonly [string, string])[]): void {
  const ordered = [...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  writeFileSync(RESULTS, [PREFACE, ...ordered].join('\n'));
}

function readSections(): Map<string, string> {
  if (!existsSync(RESULTS)) return new Map();
  const [, ...sections] = readFileSync(RESULTS, 'utf8').split(/^## /m);
  return new Map(
    sections.map((text) => [text.slice(0, text.indexOf(':')), `## ${text.trimEnd()}\n`]),
  );
}

export function describeConditions(): string {
  const runGit = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const changed =
    runGit('status', '--porcelain', '--', '..', ':!RESULTS.md') === '' ? '' : ', changed';
  const [, load = 0] = loadavg();
  return `Commit ${runGit('rev-parse', '--short', 'HEAD')}${changed}, load ${load.toFixed(1)}`;
}

function formatSection(
  name: string,
  title: string,
  report: BenchReport,
  conditions: string,
): string {
  const versions = Object.entries({ Node: process.versions.node, ...report.versions })
    .map(([part, version]) => `${part} ${version}`)
    .join(', ');
  return [
    `## ${name}: ${title}\n`,
    formatTable(report.columns, report.rows),
    ...report.notes.map((note) => `${note}\n`),
    `${new Date().toISOString().slice(0, 10)}, ${describeMachine()}. ${conditions}. ${versions}.\n`,
  ].join('\n');
}

function formatTable(columns: readonly string[], rows: BenchReport['rows']): string {
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...rows.map((row) => (row[i] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return `${[line(columns), rule, ...rows.map(line)].join('\n')}\n`;
}

function describeMachine(): string {
  const processors = cpus();
  const gib = Math.round(totalmem() / 1024 ** 3);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, ${gib} GiB`;
}
