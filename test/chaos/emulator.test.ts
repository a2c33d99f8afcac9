import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ListStateMachinesCommand, SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executionArn } from '../../lambdas/adapters/step-functions/batch-runner.ts';
import { RETRY_DELAYS_SECONDS } from '../../lambdas/domain/delivery/schedule.ts';
import { ROOT_CREDENTIALS } from '../../local/emulator/emulator.ts';
import { boxRing } from '../box.ts';
import { type ChaoticService, chaoticService } from './emulator/chaotic-service.ts';
import { PatientClient, type Status } from './emulator/client.ts';
import { Lookout } from './emulator/lookout.ts';
import { SCHEDULE_FACTOR } from './emulator/schedule-factor.ts';
import { State } from './emulator/state.ts';
import { oneEvent, remembering } from './emulator/webhooks.ts';

/** The whole takes a quiet machine; `CHAOS_BATCHES` asks for fewer. */
const BATCHES = Number(process.env['CHAOS_BATCHES'] ?? 50);
const JOBS = 20;
const BOW_TIE_ENDING = 'geometry_self_intersection';
const SECRET = 'a secret that outlives every process';
/** A share of all calls of functions. */
const DYING = 0.1;
/** Shares of all calls of the table: most of the time, and in storms. */
const THROTTLED = 0.05;
const STORM = 0.7;

const BAD_JOB = JOBS - 1;

/** One hectare each, somewhere else each time; the last is no polygon. */
const jobs = Array.from({ length: JOBS }, (_, index) => {
  const [west, south] = [5.73 + (index % 5) * 0.002, 50.962 + Math.floor(index / 5) * 0.002];
  const box = boxRing(west, south, west + 0.0014, south + 0.0009);
  const [southWest, southEast, northEast, northWest] = box;
  const bowTie = [southWest, northEast, southEast, northWest, southWest];
  const [name, ring] = index === BAD_JOB ? ['bow tie', bowTie] : ['field', box];
  return { polygon: { type: 'Polygon', coordinates: [ring] }, year: 2024, name };
});

let service: ChaoticService;
let client: PatientClient;
beforeAll(async () => {
  service = await chaoticService();
  client = new PatientClient(service.description);
});
afterAll(() => service[Symbol.asyncDispose]());

describe('a receiver that always fails', () => {
  it('gets every attempt of the schedule and no other, none early, all alike', async () => {
    await using receiver = await remembering(() => 503);
    const order = { jobs: [jobs[BAD_JOB]], webhook_url: receiver.url, webhook_secret: SECRET };
    const batchId = await client.post(order, randomUUID());
    const all = RETRY_DELAYS_SECONDS.length + 1;
    while (receiver.about(batchId).length < all) await pause(500);
    // Room for what must not come: a seventh.
    await pause(Math.max(...RETRY_DELAYS_SECONDS) * SCHEDULE_FACTOR * 1_000);
    const attempts = receiver.about(batchId);
    expect(attempts).toHaveLength(all);
    oneEvent(attempts, SECRET);
    RETRY_DELAYS_SECONDS.forEach((seconds, i) => {
      const [failed, next] = [attempts[i], attempts[i + 1]];
      const gap = (next?.at ?? 0) - (failed?.at ?? 0);
      expect(gap, `after attempt ${i + 1}`).toBeGreaterThanOrEqual(
        seconds * SCHEDULE_FACTOR * 1_000,
      );
    });
  }, 240_000);
});

describe(`${BATCHES} batches of ${JOBS} jobs while functions die, the table throttles and runs are stopped`, () => {
  it('are all there, each once, each in its right final state, each told of', async () => {
    await using receiver = await remembering((before) => (before % 10 === 4 ? 500 : 200));
    service.functionsDie(DYING);
    service.table.throttle(THROTTLED);
    const orders = Array.from({ length: BATCHES }, (_, batch) => ({
      jobs,
      metadata: { batch },
      webhook_url: receiver.url,
      webhook_secret: SECRET,
    }));
    const ids: string[] = [];
    for (const [batch, order] of orders.entries())
      ids.push(await client.post(order, `chaos-${batch}`));
    expect(new Set(ids).size).toBe(BATCHES);

    const lookout = new Lookout(client);
    const over = new AbortController();
    const ending = inTrouble(lookout, ids).finally(() => over.abort());
    const [{ first, retries }] = await Promise.all([ending, lookout.look(over.signal)]);
    expect(lookout.wrong, 'counts').toEqual([]);
    const everything = [...first, ...retries];
    for (const { batch_id } of everything) await untilAcknowledged(receiver, batch_id);
    await allIsAccountedFor(everything);
    const completed = everything.flatMap(({ jobs: own }) =>
      own.filter(({ status }) => status === 'completed'),
    );
    expect(completed, 'fields').toHaveLength(BATCHES * (JOBS - 1));
    for (const status of everything) {
      const told = oneEvent(receiver.about(status.batch_id), SECRET);
      expect(told.status).toBe(status.status);
      expect(told.jobs.map(outcome)).toEqual(status.jobs.map(outcome));
    }
    console.log(summary(first, retries));
  }, 2_400_000);
});

const outcome = ({
  job_id,
  status,
  error_message,
}: Pick<Status['jobs'][number], 'job_id' | 'status' | 'error_message'>) => ({
  job_id,
  status,
  error_message,
});

/** Ends all functions at once now and then, turns most calls of the table away for a second, stops runs. */
async function makeTrouble(ids: readonly string[], signal: AbortSignal): Promise<void> {
  const { endpoint_url: endpoint, region } = service.description;
  const sfn = new SFNClient({ endpoint, region, credentials: ROOT_CREDENTIALS });
  const { stateMachines = [] } = await sfn.send(new ListStateMachinesCommand({}));
  const machine =
    stateMachines.find(({ name }) => name?.includes('Batches'))?.stateMachineArn ?? '';
  for (let round = 0; !signal.aborted; round++) {
    await pause(10_000, undefined, { signal }).catch(() => undefined);
    service.table.throttle(STORM);
    await pause(1_000);
    service.table.throttle(THROTTLED);
    if (round < 6) await service.restartFunctions();
    const stopped = ids[round * 7];
    if (stopped === undefined) continue;
    // It may not run yet, or no more: then it is begun, or was, without us.
    await sfn
      .send(new StopExecutionCommand({ executionArn: executionArn(machine, stopped) }))
      .catch(() => undefined);
  }
}

/** Trouble until all batches have ended; then what failed by it, again. */
async function inTrouble(lookout: Lookout, ids: readonly string[]) {
  const trouble = new AbortController();
  const making = makeTrouble(ids, trouble.signal);
  const first = await allFinal(lookout, ids).finally(() => trouble.abort());
  await making;
  return { first, retries: await retried(lookout, first) };
}

function allFinal(lookout: Lookout, ids: readonly string[]): Promise<readonly Status[]> {
  return Promise.all(ids.map((id) => lookout.untilFinal(id)));
}

/** Runs again what failed by our fault, until nothing did: in the end every job is what it should be. */
async function retried(lookout: Lookout, batches: readonly Status[]): Promise<readonly Status[]> {
  for (const batch of batches) {
    for (const job of batch.jobs) {
      const ending = job.error_code ?? job.status;
      // A step whose function dies twice is given up: that is our fault, whatever the job is.
      const own = job.name === 'bow tie' ? BOW_TIE_ENDING : 'completed';
      expect([own, 'internal'], `${batch.batch_id}, job ${job.job_index}`).toContain(ending);
    }
  }
  const ids: string[] = [];
  for (const { batch_id, jobs: own } of batches) {
    if (own.some(({ error_code }) => error_code === 'internal')) {
      ids.push(await client.retry(batch_id));
    }
  }
  if (ids.length === 0) return [];
  const again = await allFinal(lookout, ids);
  return [...again, ...(await retried(lookout, again))];
}

async function untilAcknowledged(
  receiver: Awaited<ReturnType<typeof remembering>>,
  batchId: string,
): Promise<void> {
  while (!receiver.about(batchId).some(({ answer }) => answer === 200)) await pause(1_000);
}

/** What lies in table and bucket is what was answered, and nothing else. */
async function allIsAccountedFor(everything: readonly Status[]): Promise<void> {
  const state = new State(service.description);
  const items = await state.items();
  const known = new Set(everything.map(({ batch_id }) => batch_id));
  const batches = items.filter(({ sk, total_jobs }) => sk === 'BATCH' && total_jobs !== 1);
  const expected = everything.filter(({ total_jobs }) => total_jobs !== 1);
  expect(batches.map(({ batch_id }) => batch_id).sort()).toEqual(
    expected.map(({ batch_id }) => batch_id).sort(),
  );
  for (const { batch_id, total_jobs } of everything) {
    const own = items.filter(({ pk }) => pk === `BATCH#${batch_id}`);
    expect(
      own.filter(({ sk }) => sk.startsWith('OUTBOX#')),
      'outbox items',
    ).toHaveLength(1);
    expect(
      own.filter(({ sk }) => sk.startsWith('JOB#')),
      'jobs',
    ).toHaveLength(total_jobs);
  }
  const completed = everything.flatMap(({ batch_id, jobs: all }) =>
    all
      .filter(({ status }) => status === 'completed')
      .map(({ job_id }) => `results/${batch_id}/${job_id}.tif`),
  );
  const rasters = (await state.results()).filter((key) => known.has(key.split('/')[1] ?? ''));
  expect([...rasters].sort(), 'rasters').toEqual(completed.sort());
}

function summary(first: readonly Status[], retries: readonly Status[]): string {
  const of = (all: readonly Status[], status: string) =>
    all.flatMap(({ jobs: own }) => own).filter((job) => job.status === status).length;
  const { throttled, forwarded } = service.table.calls;
  return [
    `${first.length} batches: ${of(first, 'completed')} jobs completed, ${of(first, 'failed')} failed`,
    `${retries.length} retries: ${of(retries, 'completed')} jobs completed`,
    `${service.deaths()} functions died; ${throttled} of ${throttled + forwarded} calls of the table were turned away; the client was refused ${client.refusals} times`,
  ].join('\n');
}
