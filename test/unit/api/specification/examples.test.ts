import { describe, expect, it } from 'vitest';
import created from '../../../../lambdas/api/operations/examples/create-batch.json' with {
  type: 'json',
};
import retried from '../../../../lambdas/api/operations/examples/retry-batch.json' with {
  type: 'json',
};
import { openApiDocument } from '../../../../lambdas/api/specification/document.ts';
import { createdAtOf, jobIdsOf } from '../../../../lambdas/domain/identity.ts';

const BASE_URL = 'https://v2.soil.example';
const document = openApiDocument({ deployment: 'v2', baseUrl: BASE_URL, version: '1.2.3' });

function listValues(
  value: unknown,
  inExample = false,
  name = '',
): readonly (readonly [string, unknown])[] {
  const own = inExample ? [[name, value] as const] : [];
  if (typeof value !== 'object' || value === null) return own;
  const isList = Array.isArray(value);
  return [
    ...own,
    ...Object.entries(value).flatMap(([field, each]) =>
      listValues(each, inExample || field === 'example', isList ? name : field),
    ),
  ];
}
const VALUES = listValues(document);
const TEXTS = VALUES.flatMap(([name, value]) =>
  typeof value === 'string' ? [[name, value] as const] : [],
);

describe('the examples of the document', () => {
  it('describe one batch and its retry in every field, URL and message', () => {
    const ids = new Map<string, ReadonlySet<string>>();
    for (const [name, text] of TEXTS) {
      const found = text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
      ids.set(name, new Set([...(ids.get(name) ?? []), ...found]));
    }
    const { webhook_id: _, request_id: __, ...named } = Object.fromEntries(ids);
    const known = [created, retried].flatMap(({ batch_id, total_jobs }) => [
      batch_id,
      ...jobIdsOf(batch_id, total_jobs),
    ]);
    const used = new Set(Object.values(named).flatMap((each) => [...each]));
    expect([...used].sort()).toEqual(known.sort());
    expect([...(ids.get('job_id') ?? [])].sort()).toEqual([...created.job_ids].sort());
    expect([...(ids.get('retry_of') ?? [])]).toEqual([created.batch_id]);
  });

  it('have webhook secrets in the format of Standard Webhooks', () => {
    const secrets = TEXTS.flatMap(([name, text]) => (name === 'webhook_secret' ? [text] : []));
    expect(secrets.length).toBeGreaterThan(1);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_([A-Za-z0-9+/]{4})+$/);
  });

  it('have a creation time that matches the batch ID', () => {
    for (const { batch_id, created_at } of [created, retried]) {
      expect(createdAtOf(batch_id).toISOString()).toBe(created_at);
    }
    const batches = VALUES.flatMap(([, value]) => (isBatch(value) ? [value] : []));
    expect(batches.length).toBeGreaterThan(4);
    for (const { batch_id, created_at, total_jobs } of batches) {
      const { created_at: time, total_jobs: jobs } =
        batch_id === created.batch_id ? created : retried;
      expect({ created_at, total_jobs }).toEqual({ created_at: time, total_jobs: jobs });
    }
  });

  it('have https URLs on three hosts, and no warnings about http', () => {
    const urls = TEXTS.flatMap(([, text]) => text.match(/\b[a-z]+:\/\/[^\s/]+/g) ?? []);
    expect(new Set(urls)).toEqual(
      new Set([BASE_URL, 'https://results.soil.example', 'https://example.com']),
    );
    expect(TEXTS.filter(([, text]) => /\bhttp\b/.test(text))).toEqual([]);
  });
});

interface Batch {
  readonly batch_id: string;
  readonly created_at: string;
  readonly total_jobs: number;
}

function isBatch(value: unknown): value is Batch {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['batch_id', 'created_at', 'total_jobs'].every((name) => name in value)
  );
}
