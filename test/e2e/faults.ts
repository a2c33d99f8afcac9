import { readFile } from 'node:fs/promises';
import type { ServiceDescription } from '../../local/service-file.ts';
import { type Line, readLogLines } from '../support/deployed/log-lines.ts';

interface Fault {
  readonly time: string;
  readonly what: string;
}

/**
 * Lists errors in the functions' logs, and errors and warnings in the emulator's log, which may explain a failed
 * test. Equal entries share a line, because some tests cause many.
 */
export async function faultsOf(
  service: Pick<ServiceDescription, 'endpoint_url' | 'region' | 'log_file'>,
): Promise<readonly string[]> {
  const { log_file: file } = service;
  const emulator = file === null ? '' : await readFile(file, 'utf8');
  return mergeFaults([
    ...(await readLogLines(service)).flatMap(findFault),
    ...listFaults(emulator),
  ]);
}

function findFault({ group, text, fields }: Line): readonly Fault[] {
  const { timestamp, level, trace_id, duration_ms, batch_id, job_id, ...what } = fields ?? {};
  if (level !== 'ERROR' && !text.includes('timed out')) return [];
  const name = group.split('/').at(-1);
  const said = fields === null ? text : JSON.stringify(what);
  return [{ time: String(timestamp ?? '').slice(11, 19), what: `${name}: ${said.slice(0, 300)}` }];
}

/** A line of the emulator's log, such as `2026-11-23 23:36:17 ERROR [ministack] Error handling …`. */
const EMULATOR_FAULT = /^\S+ (?<time>[\d:]{8}) (?:ERROR|WARNING) (?<what>.*)$/gm;

function listFaults(log: string): readonly Fault[] {
  return [...log.matchAll(EMULATOR_FAULT)].map(({ groups }) => ({
    time: groups?.['time'] ?? '',
    what: `emulator: ${groups?.['what']?.slice(0, 300)}`,
  }));
}

function mergeFaults(faults: readonly Fault[]): readonly string[] {
  const times = new Map<string, string[]>();
  for (const { time, what } of faults) times.set(what, [...(times.get(what) ?? []), time]);
  return [...times].map(([what, each]) => `${each.length} × since ${each[0]}  ${what}`);
}
