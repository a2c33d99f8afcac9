import { creationResponse } from '../lambdas/api/contract/responses.ts';
import { startLocalService } from '../local/service.ts';
import type { Bench, BenchReport } from './bench.ts';
import { bodyOf } from './create/body.ts';
import { median } from './own-use.ts';

const JOBS = 1_000;
const VERTICES = 20;
const WARMING = 3;
const ROUNDS = 15;
const PORT = 4_731;

interface Side {
  readonly name: string;
  readonly jobs: number;
  readonly body: string;
}

/** JSON may hold white space anywhere: one job in as many bytes, which go the same ways. */
function padded(body: string, bytes: number): string {
  const end = body.lastIndexOf(']}');
  return body.slice(0, end) + ' '.repeat(bytes - Buffer.byteLength(body)) + body.slice(end);
}

function sides(): readonly Side[] {
  const [one, thousand] = [bodyOf(1, VERTICES), bodyOf(JOBS, VERTICES)];
  return [
    { name: '1 job', jobs: 1, body: one },
    { name: '1 job in as many bytes', jobs: 1, body: padded(one, Buffer.byteLength(thousand)) },
    { name: '1,000 jobs', jobs: JOBS, body: thousand },
  ];
}

/** Calls of the deployed API, each answer read to its end. */
function callsTo(baseUrl: string, apiKey: string) {
  const call = async (path: string, body?: string) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  };
  return {
    async create(body: string): Promise<{ readonly ms: number; readonly batchId: string }> {
      const startedAt = performance.now();
      const answer = await call('/v1/batch', body);
      const ms = performance.now() - startedAt;
      return { ms, batchId: creationResponse.parse(answer).batch_id };
    },
    /** Nothing of the last creation may run during the next. */
    async cancel(batchId: string): Promise<void> {
      await call(`/v1/batch/${batchId}/cancel`, '');
      for (;;) {
        const { completed_at } = await call(`/v1/batch/${batchId}/status?jobs=none`);
        if (completed_at !== null) return;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
  };
}

async function measured(): Promise<readonly (Side & { readonly times: readonly number[] })[]> {
  const limits = { jobsPerDay: 1_000_000, hectaresPerDay: 1_000_000, requestsPerMinute: 60_000 };
  const service = await startLocalService({ port: PORT, limits });
  try {
    const { v2_url, api_key } = service.description;
    const { create, cancel } = callsTo(v2_url, api_key);
    const measuring = sides().map((side) => ({ ...side, times: [] as number[] }));
    for (let round = -WARMING; round < ROUNDS; round += 1) {
      for (const { body, times } of measuring) {
        const { ms, batchId } = await create(body);
        if (round >= 0) times.push(ms);
        await cancel(batchId);
      }
    }
    return measuring;
  } finally {
    await service.stop();
  }
}

export const bench: Bench = {
  title: 'how long a creation takes to be answered, 1 job and 1,000',
  async run(): Promise<BenchReport> {
    const found = await measured();
    const base = median(found[1]?.times ?? []);
    return {
      columns: ['creation', 'kB', 'ms, median', 'ms, least', '÷ 1 job in as many bytes'],
      rows: found.map(({ name, body, times }) => [
        name,
        (Buffer.byteLength(body) / 1_000).toFixed(1),
        median(times).toFixed(0),
        Math.min(...times).toFixed(0),
        (median(times) / base).toFixed(2),
      ]),
      notes: [
        `Of the deployed API on the emulator, from the request to the end of the answer, ${ROUNDS} rounds in turns after ${WARMING} to warm up; each batch is cancelled before the next. Polygons of ${VERTICES} vertices. One job in as many bytes is the same body length in white space: gateway, function and S3 move the same upload, so the ratio is what the jobs themselves cost. The emulator gives a function one of the machine's cores (AWS: 0.6 of one at the memory it has) and its services answer over the loopback. Goal: ≤ 1.3.`,
      ],
      versions: {},
    };
  },
};
