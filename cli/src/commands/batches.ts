import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type BatchStatus, isFinal, type ListBatchesQuery } from 'soil-batch-client';
import { EXIT, usageError } from '../exit-code.ts';
import { latestBatches } from '../run/batches.ts';
import { readRunFile } from '../run/run-file.ts';
import type { CommandSpec } from './command-spec.ts';
import type { Service, Session } from './session.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const LARGEST_LIST = 1_000;
const STATES = ['pending', 'processing', 'completed', 'failed', 'partial'] as const;

const BATCH_PARAMETER = { 'folder-or-batch': 'folder of a run, or the id of a batch' };

export const STATUS: CommandSpec = {
  usage: 'status <folder-or-batch>',
  summary: 'show the state of a run or a batch',
  parameters: BATCH_PARAMETER,
  example: 'status fields_2021',
  options: [],
  async action(session, command) {
    const service = await session.connect();
    for (const id of await batchIds(session, command)) {
      reportBatch(session, await service.client.batch(id).status({ signal: session.signal }));
    }
    return EXIT.complete;
  },
};

export const CANCEL: CommandSpec = {
  usage: 'cancel <folder-or-batch>',
  summary: 'cancel the unfinished batches of a run, or one batch; finished maps remain',
  parameters: BATCH_PARAMETER,
  example: 'cancel fields_2021',
  options: [],
  async action(session, command) {
    const service = await session.connect();
    for (const id of await batchIds(session, command)) await cancel(session, service, id);
    return EXIT.complete;
  },
};

async function cancel(session: Session, { client }: Service, id: string): Promise<void> {
  const { signal } = session;
  const batch = client.batch(id);
  const status = await batch.status({ signal });
  reportBatch(session, isFinal(status) ? status : await batch.cancel({ signal }));
}

export const LIST: CommandSpec = {
  usage: 'list',
  summary: 'list your newest batches',
  parameters: {},
  example: 'list --status failed --limit 5',
  options: [
    new Option('--status <status>', 'only batches with this status').choices(STATES),
    new Option('--limit <number>', 'how many').argParser(limitOf).default(20),
  ],
  async action(session, command) {
    const { client } = await session.connect();
    const { status, limit } = command.opts<{ status?: BatchStatus['status']; limit: number }>();
    const query: ListBatchesQuery = {
      limit: Math.min(limit, 100),
      ...(status === undefined ? {} : { status }),
    };
    let listed = 0;
    for await (const batch of client.batches(query, { signal: session.signal })) {
      if (listed++ === limit) break;
      reportBatch(session, batch);
    }
    if (listed === 0) session.terminal.note('No batches.');
    return EXIT.complete;
  },
};

function limitOf(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= LARGEST_LIST) return limit;
  throw new InvalidArgumentError(`Expected a number from 1 to ${LARGEST_LIST}.`);
}

/** The newest batches of a run's folder, or the batch itself. */
async function batchIds({ cwd }: Session, command: Command): Promise<readonly string[]> {
  const [which = ''] = command.args;
  const run = await readRunFile(path.resolve(cwd, which));
  if (run !== undefined) return latestBatches(run).map(({ id }) => id);
  if (UUID.test(which)) return [which.toLowerCase()];
  throw usageError(`${which} is neither the folder of a run nor the id of a batch`);
}

function reportBatch({ terminal }: Session, batch: BatchStatus): void {
  const { batch_id, status, name, total_jobs, completed_jobs, failed_jobs, progress } = batch;
  const percent = `${Math.floor(progress * 100)} %`;
  const counts = `${completed_jobs} of ${total_jobs} completed, ${failed_jobs} failed`;
  terminal.report({ event: 'batch', ...batch }, [
    `${batch_id}  ${status.padEnd(10)}  ${percent.padStart(5)}  ${counts}  ${name ?? ''}`.trimEnd(),
  ]);
}
