import { gzipSync } from 'node:zlib';
import { LIMITS } from '../lambdas/domain/limits.ts';
import { inMemoryService } from '../test/unit/api/service.ts';
import type { Bench, BenchReport } from './bench.ts';
import { type HostileBody, hostileBodies } from './create/hostile-bodies.ts';
import { cpuMs, median } from './own-use.ts';

const ROUNDS = 5;
const GZIP = { 'Content-Encoding': 'gzip' };

async function measured({ name, text }: HostileBody): Promise<readonly string[]> {
  const body = gzipSync(text);
  const times: number[] = [];
  let status = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = inMemoryService();
    times.push(
      await cpuMs(async () => {
        ({ status } = await service.create({ body, headers: GZIP }));
      }),
    );
  }
  return [
    name,
    (text.length / 1e6).toFixed(2),
    (body.length / 1e3).toFixed(0),
    String(status),
    median(times).toFixed(0),
    Math.max(...times).toFixed(0),
  ];
}

export const bench: Bench = {
  title: 'CPU time of creations with the most expensive bodies',
  async run(): Promise<BenchReport> {
    const rows: (readonly string[])[] = [];
    for (const body of hostileBodies()) rows.push(await measured(body));
    return {
      columns: ['body', 'MB', 'kB in gzip', 'status', 'CPU ms, median', 'CPU ms, maximum'],
      rows,
      notes: [
        `CPU time of the function from the gateway’s event to the response, with in-memory stores, of ${ROUNDS} requests; the first includes compilation. A batch may have ${LIMITS.verticesPerBatch} vertices (\`vertices_per_batch\`), and a body ${LIMITS.bodyBytes / 1e6} MB. Goal: ≤ 1,500 ms.`,
      ],
      versions: {},
    };
  },
};
