import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createRequestExample } from '../../../../lambdas/api/operations/create-request.ts';
import webhookExample from '../../../../lambdas/api/operations/examples/completion-webhook.json' with {
  type: 'json',
};
import { OPERATIONS } from '../../../../lambdas/api/operations.ts';
import { openApiDocument } from '../../../../lambdas/api/specification/document.ts';
import { PARAMETERS } from '../../../../lambdas/api/specification/documented-parameters.ts';
import { linksNamed } from '../../../../lambdas/api/specification/links.ts';
import { publishedSchemas } from '../../../../lambdas/api/specification/schemas.ts';
import { webhookBody } from '../../../../lambdas/domain/batch/batch-schema.ts';
import { inMemoryService } from '../../../support/api/service.ts';

const documentOf = (deployment: 'v1' | 'v2') =>
  openApiDocument({ deployment, baseUrl: 'https://soil.example/live', version: '1.2.3' });
const v2 = documentOf('v2');

/** The operation that redirects to a signed URL has no 2xx response. */
const REDIRECTS = '--skip-rule=operation-2xx-response';

describe('the published specification', () => {
  const folder = mkdtempSync(join(tmpdir(), 'soil-batch-openapi-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['v1', 'v2'] as const)('passes Redocly’s recommended rules: %s', (deployment) => {
    const file = join(folder, `${deployment}.json`);
    writeFileSync(file, JSON.stringify(documentOf(deployment)));
    const report = execFileSync(
      'node_modules/.bin/redocly',
      ['lint', file, '--format=json', '--extends=recommended-strict', REDIRECTS],
      {
        encoding: 'utf8',
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    expect(JSON.parse(report).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });

  it('defines exactly the published schemas', () => {
    expect(Object.keys(v2.components.schemas)).toEqual(Object.keys(publishedSchemas()));
  });

  it('contains neither the operations nor the schemas of V2 on V1', () => {
    const text = JSON.stringify(documentOf('v1'));
    expect(text).not.toMatch(/jobs\/\{job_id\}\/(status|patches)/);
    expect(text).not.toMatch(/schemas\/(JobDetail|PatchBatch)"/);
    const onV1 = Object.keys(documentOf('v1').paths);
    expect(Object.keys(v2.paths).filter((path) => !onV1.includes(path))).toEqual([
      '/v1/batch/{batch_id}/jobs/{job_id}/status',
      '/v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status',
      '/console',
      '/console/{asset}',
    ]);
  });

  it('requires a key everywhere except for health, the docs and the console', () => {
    const open = Object.entries(v2.paths).filter(([, { get }]) => get?.security.length === 0);
    expect(open.map(([path]) => path)).toEqual([
      '/',
      '/health',
      '/openapi.json',
      '/docs',
      '/docs/problems/{slug}',
      '/console',
      '/console/{asset}',
    ]);
  });

  it('describes the parameters of each path, in order', () => {
    for (const [path, { get, post }] of Object.entries(v2.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = (get ?? post)?.parameters ?? [];
      expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(
        named,
      );
    }
  });
});

describe('the links between operations', () => {
  const links = OPERATIONS.flatMap((from) => {
    const { content, links: names = [] } = from.response;
    const example = typeof content !== 'string' && 'example' in content ? content.example : {};
    return Object.entries(linksNamed(names, OPERATIONS)).map(
      ([name, link]) => [`${from.operationId}: ${name}`, link, example] as const,
    );
  });

  it.each(links)('set parameters of the operation that they name: %s', (_, link) => {
    const to = OPERATIONS.find(({ operationId }) => operationId === link.operationId);
    const parameters = (to?.parameters ?? []).map((parameter) => PARAMETERS[parameter]);
    const named: readonly string[] = parameters.map(({ name }) => name);
    expect(named).toEqual(expect.arrayContaining(Object.keys(link.parameters)));
    const needed = parameters.flatMap((one) => ('required' in one ? [one.name] : []));
    expect(Object.keys(link.parameters)).toEqual(expect.arrayContaining(needed));
  });

  it.each(links)('point at fields of the response: %s', (_, { parameters }, example) => {
    for (const expression of Object.values(parameters)) {
      const pointer = expression.replace(/^\$response\.body#\//, '');
      const member = pointer.split('/').reduce<unknown>((value, step) => {
        if (typeof value !== 'object' || value === null) return undefined;
        // Some examples have empty lists.
        if (Array.isArray(value) && value.length === 0) return {};
        return (
          Object.entries(value).find(([name]) => name === step)?.[1] ?? findMissing(value, step)
        );
      }, example);
      expect(member, expression).not.toBeUndefined();
    }
  });

  it('name the operation getJobStatus on V2, but not on V1', () => {
    const { paths } = documentOf('v1');
    expect(JSON.stringify(paths)).not.toContain('"getJobStatus"');
    expect(JSON.stringify(v2.paths)).toContain('"getJobStatus"');
  });
});

/** A field that is null in the example, or inside an absent element, counts as present. */
function findMissing(value: object, step: string): unknown {
  return Object.hasOwn(value, step) || Object.keys(value).length === 0 ? {} : undefined;
}

describe('the examples of the specification', () => {
  const responses = OPERATIONS.flatMap(({ operationId, response: { content } }) =>
    typeof content === 'string' || !('schema' in content) ? [] : [[operationId, content] as const],
  );

  it.each(responses)('match their schema: %s', (_, { schema, example }) => {
    expect(z.parse(schema, example)).toEqual(example);
  });

  it('match the schema of the webhook', () => {
    webhookBody.parse(webhookExample);
  });

  it('are accepted as requests that create a batch', async () => {
    const { create } = inMemoryService();
    const response = await create({ body: JSON.stringify(createRequestExample) });
    expect(response.status).toBe(202);
  });
});
