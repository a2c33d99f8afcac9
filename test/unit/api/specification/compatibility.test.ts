import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../lambdas/api/specification/document.ts';
import type { OpenApiDocument } from '../../../../lambdas/api/specification/openapi.ts';
import { breakingChanges } from './breaking-changes.ts';

const FOLDER = 'test/fixtures/openapi';

const LAST_RELEASE = readdirSync(FOLDER)
  .map((file) => file.replace(/-v[12]\.json$/, ''))
  .filter((version) => version !== 'README.md')
  .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  .at(-1);

const released = (deployment: 'v1' | 'v2') =>
  JSON.parse(
    readFileSync(`${FOLDER}/${LAST_RELEASE}-${deployment}.json`, 'utf8'),
  ) as OpenApiDocument;

const present = (deployment: 'v1' | 'v2') =>
  openApiDocument({ deployment, baseUrl: `https://${deployment}.soil.example`, version: '1.2.3' });

interface Differences {
  /** Schemas: generated clients change, requests and responses do not. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Changes of the document alone, and those that the changelog describes. */
  readonly accepted: readonly string[];
}

/** By the release that they follow. */
const DIFFERENCES: Readonly<Record<string, Differences>> = {
  '0.2.0': {
    renamed: { JobStatus: 'JobDetail', Models: 'ModelList' },
    accepted: [
      'received Model.licences: gone',
      // A polygon was any object; one that is no GeoJSON has always failed its job.
      'sent JobRequest.polygon.coordinates: required',
      'sent JobRequest.polygon.type: required',
      // The positions of a coverage still have two numbers; they now share the schema of requests.
      'received Model.coverage.coordinates[][]: maxItems',
      'received Model.coverage.coordinates[][][]: maxItems',
      // They are now `date` and `date-time`, with the patterns of these.
      'received Usage.day: pattern',
      'received Usage.resets_at: pattern',
    ],
  },
};

const { renamed, accepted } = DIFFERENCES[String(LAST_RELEASE)] ?? { renamed: {}, accepted: [] };

describe('the document, compared with that of the last release', () => {
  it.each(['v1', 'v2'] as const)('has only additions and listed changes on %s', (deployment) => {
    const changes = breakingChanges(released(deployment), present(deployment), renamed);
    expect(changes).toEqual([...accepted].sort());
  });

  it('has its renames in the changelog', () => {
    const changelog = readFileSync('CHANGELOG.md', 'utf8');
    for (const name of Object.entries(renamed).flat()) expect(changelog).toContain(`\`${name}\``);
  });
});

describe('a breaking change', () => {
  /** The document with the text of one place replaced. */
  const changed = (pattern: RegExp | string, replacement: string): OpenApiDocument => {
    const text = JSON.stringify(present('v2'));
    const other = text.replace(pattern, replacement);
    expect(other).not.toBe(text);
    return JSON.parse(other) as OpenApiDocument;
  };
  const found = (document: OpenApiDocument) => breakingChanges(present('v2'), document);

  it('is not found in the same document', () => {
    expect(found(present('v2'))).toEqual([]);
  });

  it.each([
    ['a removed operation', '"/v1/usage":', '"/v1/used":', 'GET /v1/usage is gone'],
    ['a renamed operation', '"getUsage"', '"usage"', 'GET /v1/usage: operationId changed'],
    ['a removed parameter', '"name":"limit"', '"name":"size"', 'GET /v1/batch query limit: gone'],
    ['a removed status', '"202":{', '"201":{', 'POST /v1/batch 202: gone'],
    ['a removed header', '"Location":{', '"Place":{', 'POST /v1/batch 202 header Location: gone'],
    ['a removed schema', '"Temporality":{', '"Period":{', 'the schema Temporality is gone'],
    [
      'a removed field of a request',
      '"webhook_jobs":{',
      '"jobs_sent":{',
      'sent CreateBatch.webhook_jobs: gone',
    ],
    [
      'a removed field of a response',
      '"progress":{',
      '"share":{',
      'received BatchStatus.progress: gone',
    ],
    [
      'a field that may be absent',
      '"total_tasks","completed_tasks"',
      '"completed_tasks"',
      'received BatchStatus.total_tasks: optional',
    ],
    [
      'a required field of a request',
      '"required":["polygon","year"]',
      '"required":["polygon","year","name"]',
      'sent JobRequest.name: required',
    ],
    [
      'a value that is no longer accepted',
      '["full","none"]',
      '["full"]',
      'sent CreateBatch.webhook_jobs: none not allowed',
    ],
    ['a lower limit', '"maxItems":1000', '"maxItems":999', 'sent CreateBatch.jobs: maxItems'],
    [
      'another type',
      '"Health":{"type":"object","properties":{"status":{"type":"string"',
      '"Health":{"type":"object","properties":{"status":{"type":"integer"',
      'received Health.status: string became integer',
    ],
    [
      'a response that may be null',
      '"progress":{"type":"number"',
      '"progress":{"type":["number","null"]',
      'received BatchStatus.progress: number became null',
    ],
    [
      'a lost format',
      /("BatchCreated":.*?"format":)"date-time"/,
      '$1"time"',
      'received BatchCreated.created_at: format',
    ],
  ])('is found: %s', (_, pattern, replacement, change) => {
    expect(found(changed(pattern, replacement))).toContain(change);
  });

  it.each([
    [
      'a value in a response',
      '"acknowledged","permanent","retry"',
      '"acknowledged","permanent","retry","held"',
    ],
    [
      'a field of a response',
      '"Health":{"type":"object","properties":{',
      '"Health":{"type":"object","properties":{"region":{"type":"string"},',
    ],
    ['a higher limit', '"maxItems":1000', '"maxItems":1001'],
    [
      'an optional field of a request',
      '"year":{"type":"integer"',
      '"depth":{"type":"number"},"year":{"type":"integer"',
    ],
  ])('is not found in an addition: %s', (_, pattern, replacement) => {
    expect(found(changed(pattern, replacement))).toEqual([]);
  });
});
