import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { runOperatorCommand } from './operator-command.ts';

const service = inject('service');

const report = z.object({
  stage: z.nullable(z.literal('local')),
  v2_url: z.literal(service.v2_url),
  findings: z.array(z.object({ check: z.string(), verdict: z.string(), seen: z.string() })),
});

describe('`npm run smoke`', () => {
  it('passes on a working stage', async () => {
    const receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => receiver.once('listening', resolve));
    const { port } = receiver.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/webhook`;
    const { code, stdout } = await runOperatorCommand('smoke', '--receiver', url);
    receiver.close();
    const { findings } = report.parse(JSON.parse(stdout));
    expect(findings.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual([
      'batch',
      'raster',
      'signed URL',
      'altered signed URLs',
      'V1: every GET',
      'V2: every GET',
      'webhook',
    ]);
    expect(code).toBe(0);
  });

  it('exits with 1 if the service does not know the key', async () => {
    const { code, stdout } = await runOperatorCommand(
      'smoke',
      ...['--url', service.v2_url, '--key', 'sk_of_nobody'],
    );
    expect(code).toBe(1);
    const { findings } = report.parse(JSON.parse(stdout));
    expect(findings.find(({ check }) => check === 'batch')?.verdict).toBe('failed');
  });
});
