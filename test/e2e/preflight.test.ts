import { ACMClient, RequestCertificateCommand } from '@aws-sdk/client-acm';
import { expect, inject, it } from 'vitest';
import * as z from 'zod';
import { remoteSources } from '../../bin/packs/remote-sources.ts';
import { checkAccount } from '../../bin/preflight/checks.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { configureClient } from '../../local/emulator/emulator.ts';
import { runForJson } from './operator-command.ts';

const service = inject('service');

const report = z.object({
  stage: z.literal('local'),
  region: z.literal(service.region),
  findings: z.array(z.object({ about: z.string(), verdict: z.string(), says: z.string() })),
});

it('`npm run preflight` accepts the account of a deployed stage', async () => {
  const { findings } = report.parse(await runForJson('preflight'));
  expect(findings.map(({ about, verdict }) => [about, verdict])).toEqual([
    ['configuration', 'fine'],
    ['model packs', 'fine'],
    ['CDK bootstrap', 'fine'],
    ['Lambda concurrency', 'fine'],
    ['API Gateway log role', 'fine'],
    ['signing user', 'fine'],
  ]);
  const of = (name: string) => findings.find(({ about }) => about === name)?.says;
  expect(of('CDK bootstrap')).toMatch(/^version \d+$/);
  expect(of('API Gateway log role')).toContain('role/SoilBatch-local-Stateless');
});

it('`npm run preflight` checks the certificates that the configuration names', async () => {
  const place = configureClient({ endpointUrl: service.endpoint_url, region: service.region });
  const request = new RequestCertificateCommand({ DomainName: '*.example.com' });
  const { CertificateArn: v1 } = await new ACMClient(place).send(request);
  const config = parseConfig({
    ...readStageConfig('local'),
    domains: {
      v1: { host: 'v1.example.com', certificateArn: v1 },
      v2: { host: 'v2.example.com', certificateArn: `${v1}-gone` },
    },
  });
  const connection = { ...place, region: service.region };
  const findings = await checkAccount(connection, config, remoteSources());
  const verdicts = new Map(findings.map(({ about, verdict }) => [about, verdict]));
  expect(verdicts.get('certificate of v1')).toBe('fine');
  expect(verdicts.get('certificate of v2')).toBe('wrong');
});
