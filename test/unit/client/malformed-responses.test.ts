import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { SoilClient, SoilError } from 'soil-batch-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../lambdas/api/specification/document.ts';
import { batchInEachState } from '../../support/api/batch-with-results.ts';
import { exampleResponse, STATUS } from '../../support/client/responses.ts';

const { schemas } = openApiDocument({
  deployment: 'v2',
  baseUrl: 'https://v2.soil.example',
  version: '1',
}).components;

function makeClient(text: string): SoilClient {
  const headers = { 'Content-Type': 'application/geo+json' };
  return new SoilClient({
    baseUrl: 'https://v2.soil.example',
    apiKey: 'key',
    fetch: async () => new Response(text, { headers }),
  });
}

const makeBatch = (text: string) => makeClient(text).batch(STATUS.batch_id);

interface Operation {
  readonly schema: string;
  /** A valid response, if the examples have none. */
  response?: unknown;
  readonly example?: string;
  readonly call: (text: string) => Promise<unknown>;
}

const TABLE: Operation = {
  schema: 'ResultTable',
  call: async (text) => {
    const features: object[] = [];
    for await (const { polygon, ...properties } of makeBatch(text).rows()) {
      features.push({ geometry: polygon, properties });
    }
    return features;
  },
};

const OPERATIONS: readonly Operation[] = [
  {
    ...{ schema: 'BatchStatus', example: 'batch-status' },
    call: (text) => makeBatch(text).status({ jobs: 'all' }),
  },
  {
    ...{ schema: 'BatchCreated', example: 'create-batch' },
    call: (text) => makeClient(text).createBatch({ jobs: [] }),
  },
  {
    ...{ schema: 'BatchTotal', example: 'batch-total' },
    call: (text) => makeBatch(text).total(),
  },
  {
    ...{ schema: 'JobDetail', example: 'job-status' },
    call: (text) => makeBatch(text).job('j'),
  },
  {
    ...{ schema: 'PatchBatch', example: 'patch-batch-status' },
    call: (text) => makeBatch(text).patchBatch('j', 0),
  },
  {
    ...{ schema: 'Deliveries', example: 'deliveries' },
    call: (text) => makeBatch(text).deliveries(),
  },
  {
    ...{ schema: 'Estimate', example: 'estimate-batch' },
    call: (text) => makeClient(text).estimate([]),
  },
  { schema: 'ModelList', example: 'models', call: (text) => makeClient(text).models() },
  { schema: 'Limits', example: 'limits', call: (text) => makeClient(text).limits() },
  { schema: 'Usage', example: 'usage', call: (text) => makeClient(text).usage() },
  TABLE,
];

beforeAll(async () => {
  const { results } = await batchInEachState();
  TABLE.response = (await results()).body;
});

/** Keywords that do not bind a newer service: it may send further fields, codes and texts. */
const OPEN = new Set(['const', 'enum', 'format', 'minLength', 'pattern']);
const relaxed = JSON.parse(JSON.stringify(schemas), function (name, value) {
  if (name === 'additionalProperties' && value === false) return undefined;
  const isKeyword = typeof this.type === 'string' || 'enum' in this;
  return isKeyword && OPEN.has(name) ? undefined : value;
});

function validatorOf(components: object) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ components: { schemas: components } }, 'document');
  return (schema: string, value: unknown) =>
    ajv.getSchema(`document#/components/schemas/${schema}`)?.(value);
}
const isExact = validatorOf(schemas);
const isUsable = validatorOf(relaxed);

type Path = readonly (string | number)[];

function listPaths(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...members.flatMap(([name, member]) => listPaths(member, [...path, name]))];
}

const REMOVED = Symbol('removed');

function replaceAt(value: unknown, [name, ...rest]: Path, replacement: unknown): unknown {
  if (name === undefined) return replacement === REMOVED ? null : replacement;
  const copy: unknown = structuredClone(value);
  const holder = Object(copy);
  const member = replaceAt(holder[name], rest, replacement);
  if (member === REMOVED || (rest.length === 0 && replacement === REMOVED)) delete holder[name];
  else holder[name] = member;
  return Array.isArray(copy) ? copy.filter(() => true) : copy;
}

const parentOf = (pointer: string) => pointer.replace(/\/[^/]*$/, '');

const replacement = fc.oneof(
  fc.constant(REMOVED),
  fc.constantFrom(null, true, '', 'x', -1, 0.5, 1e15, 2 ** 53, [], {}, [null], { 0: 1, length: 1 }),
  fc.jsonValue(),
);

describe.each(OPERATIONS)('a response of the schema $schema', (operation) => {
  const right = () => operation.response ?? exampleResponse(operation.example ?? '');
  const outcomeOf = (value: unknown) =>
    operation.call(JSON.stringify(value)).then(
      (returned) => ({ returned }),
      (error: unknown) => ({ error }),
    );

  it('is accepted, also with further fields', async () => {
    expect(isExact(operation.schema, right())).toBe(true);
    expect(await outcomeOf(right())).toHaveProperty('returned');
    expect(await outcomeOf({ ...Object(right()), later: [1] })).toHaveProperty('returned');
  });

  it('is either returned unchanged or rejected with the name of the wrong field, whatever replaces one of its values', async () => {
    const value = right();
    const paths = listPaths(value);
    await fc.assert(
      fc.asyncProperty(fc.nat(paths.length - 1), replacement, async (at, other) => {
        const mutated = replaceAt(value, paths[at] ?? [], other);
        const outcome = await outcomeOf(mutated);
        if ('returned' in outcome) {
          expect(isUsable(operation.schema, mutated)).toBe(true);
          // JSON.stringify writes −0 as 0.
          const sent: unknown = JSON.parse(JSON.stringify(mutated));
          if (operation !== TABLE) expect(outcome.returned).toEqual(sent);
          return;
        }
        expect(isExact(operation.schema, mutated)).toBe(false);
        expect(outcome.error).toBeInstanceOf(SoilError);
        expect(outcome.error).toMatchObject({ type: 'not-the-service' });
        const place = ['', ...(paths[at] ?? [])].join('/');
        const [{ pointer } = { pointer: place }] = (outcome.error as SoilError).errors;
        // The error names the field itself, a part of it, or the value that contains it.
        const isNamed = `${pointer}/`.startsWith(`${place}/`) || pointer === parentOf(place);
        expect(isNamed, `${pointer} for ${place}`).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

it.each<[string, (text: string) => string, string]>([
  ['an object instead of a list', (text) => text.replace(/"jobs":\[/, '"jobs":{},"x":['), '/jobs'],
  ['no number of jobs', (text) => text.replace('"total_tasks"', '"x"'), '/total_tasks'],
  ['an infinite number', (text) => text.replace('"progress":1', '"progress":1e400'), '/progress'],
  [
    'an integer that is too large to be exact',
    (text) => text.replace('"year":2024', '"year":9007199254740993'),
    '/jobs/0/year',
  ],
  ['an ID that is a path', (text) => text.replace(STATUS.batch_id, '../../usage'), '/batch_id'],
  ['an unknown state', (text) => text.replace('"partial"', '"done"'), '/status'],
  [
    'a raster size of 10 PB',
    (text) => text.replace(/"bytes":\d+/, '"bytes":1e16'),
    '/jobs/0/result/bytes',
  ],
])('a batch status with %s is rejected', async (_, change, pointer) => {
  const text = JSON.stringify(STATUS);
  expect(change(text)).not.toBe(text);
  await expect(makeBatch(change(text)).status()).rejects.toMatchObject({
    type: 'not-the-service',
    message: expect.stringContaining(`: ${pointer} `),
    errors: [{ pointer }],
  });
});
