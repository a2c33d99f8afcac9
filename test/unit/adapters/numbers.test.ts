import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseJobPolygon } from '../../../engine/geometry/parse.ts';
import { dynamoJobStore } from '../../../lambdas/adapters/dynamodb/jobs.ts';
import { NUMBERS_AS_DOUBLES, openTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { SUMMARY } from '../../support/api/batch-with-results.ts';
import { AT } from '../../support/domain/begun-batch.ts';
import { aBatch, RESULT } from '../../support/domain/builders.ts';
import { computeSummary, manifestWith } from '../../support/domain/summary-of.ts';

/** DynamoDB's numbers have at most 38 digits, and are 0 or have a magnitude from 1e-130 to 9.99…e125. */
function fitsDynamodb(text: string): boolean {
  const [digits = ''] = text.replaceAll(/[-.]/g, '').split('e');
  const magnitude = Math.abs(Number(text));
  const inRange = magnitude === 0 || (magnitude >= 1e-130 && magnitude < 1e126);
  return inRange && digits.replaceAll(/^0+|0+$/g, '').length <= 38;
}

function makeRecordingStore() {
  const sent: string[] = [];
  const client = new DynamoDBClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  client.middlewareStack.add(
    () =>
      async ({ request }) => {
        const { body } = z.object({ body: z.instanceof(Uint8Array) }).parse(request);
        const text = new TextDecoder().decode(body);
        sent.push(...[...text.matchAll(/\{"N":"([^"]*)"\}/g)].map(([, number = '']) => number));
        return { output: { $metadata: {} }, response: {} };
      },
    { step: 'build' },
  );
  const table = openTable('state', client);
  const { batch_id: batchId } = aBatch();
  table.ends.set(batchId, 1_800_000_000);
  return { batchId, jobs: dynamoJobStore(table), sent };
}

const anyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e16, -1e16, 2 ** 53, 2 ** 53 + 2, -1e308, 1e-131, -5e-324, 1e126, 0, -0),
  fc.double({ min: -180, max: 180, noNaN: true }),
);
const position = fc.tuple(anyNumber, anyNumber);
const near = fc.tuple(
  fc.double({ min: -1e-120, max: 1e-120, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
);
const ring = fc.oneof(fc.array(position, { minLength: 3 }), fc.array(near, { minLength: 3 }));

describe('the numbers sent to DynamoDB', () => {
  it('fit its number type in the error of a polygon, whatever its coordinates', async () => {
    await fc.assert(
      fc.asyncProperty(ring, fc.boolean(), async (open, closes) => {
        const coordinates = [closes ? [...open, ...open.slice(0, 1)] : open];
        const parsed = parseJobPolygon({ type: 'Polygon', coordinates });
        if (parsed.kind !== 'problem') return;
        const { batchId, jobs, sent } = makeRecordingStore();
        const { code, message, location } = parsed;
        expect(await jobs.fail(batchId, 0, { code, message, location }, AT)).toBe('changed');
        expect(sent.filter((number) => !fitsDynamodb(number))).toEqual([]);
      }),
    );
  });

  it('fit its number type in the summary of a job, whatever its predictions', async () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true });
    const values = fc.tuple(float, float, float);
    const property = { name: 'a stock', unit: 't/ha', depth_cm: [0, 30] as [number, number] };
    const manifest = await manifestWith({ systematic_relative_sd: 0.1 }, { property });
    await fc.assert(
      fc.asyncProperty(fc.array(values, { minLength: 4, maxLength: 4 }), async (cells) => {
        const summary = await computeSummary(manifest, [5, 3], (col) => cells[col % 4] ?? null);
        if (summary === null) throw new Error('no summary');
        const { batchId, jobs, sent } = makeRecordingStore();
        expect(await jobs.complete(batchId, 0, AT, { ...RESULT, summary })).toBe('changed');
        expect(sent.length).toBeGreaterThan(5);
        expect(sent.filter((number) => !fitsDynamodb(number))).toEqual([]);
      }),
    );
  });

  it('keep the value of a mean exactly, except the sign of −0', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (mean) => {
        const { batchId, jobs, sent } = makeRecordingStore();
        await jobs.complete(batchId, 0, AT, { ...RESULT, summary: { ...SUMMARY, mean } });
        expect(sent.map(Number)).toContain(mean === 0 ? 0 : mean);
      }),
    );
  });
});

it('opening a table does not change the shared conversion options', () => {
  openTable('state', new DynamoDBClient({ region: 'eu-central-1' }));
  expect(NUMBERS_AS_DOUBLES).toEqual({
    marshallOptions: { allowImpreciseNumbers: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
});
