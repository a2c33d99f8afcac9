import { parseConfig } from '../../../lib/config/stage-config.ts';
import { PROD } from './prod.ts';
import { type Synthesised, synthesiseWith } from './synthesised.ts';

const domainOn = (host: string) => ({
  host,
  certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/1',
});

/**
 * Production with every option that adds a resource, as in a strict organisation: domains, a permissions boundary and
 * tags.
 */
export const EVERYTHING = parseConfig({
  ...PROD,
  allowedNetworks: ['192.0.2.0/24'],
  apiLogRole: 'set',
  domains: {
    v1: domainOn('v1.example.com'),
    v2: domainOn('v2.example.com'),
    hostedZone: { id: 'Z1', name: 'example.com' },
  },
  budget: { dollarsAMonth: 50, email: 'ops@example.com' },
  eventBus: 'default',
  permissionsBoundary: 'arn:aws:iam::111122223333:policy/team/Boundary',
  tags: { CostCentre: '1234' },
});

let known: Synthesised | undefined;

export function synthesiseEverything(): Synthesised {
  known ??= synthesiseWith(EVERYTHING);
  return known;
}
