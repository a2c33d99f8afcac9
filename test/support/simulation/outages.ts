import { SigningKeyUnavailable } from '../../../lambdas/domain/job/reading/result-signer.ts';
import { ServiceDown } from './faults.ts';

export const SERVICES = [
  'DynamoDB',
  'S3',
  'SQS',
  'Step Functions',
  'Lambda',
  'KMS',
  'Secrets Manager',
  'EventBridge',
] as const;
export type Service = (typeof SERVICES)[number];

/** An outage of a service, which affects all steps and starts with one of its calls. */
export interface Outage {
  readonly service: Service;
  /** The first call that fails, counted from 0 over all calls of the service in a world. */
  readonly fromCall: number;
  readonly minutes: number;
}

/**
 * The service behind each port. Lambda's calls are invocations; EventBridge's calls include the runs of its schedule.
 */
const PORTS: readonly (readonly [RegExp, Service])[] = [
  [
    /^(batches|jobs|patchBatches|outbox|busOutbox|quotas|idempotencyKeys|recentTimes|tenants|slots|batchQueue|scanPositions|copies)\./,
    'DynamoDB',
  ],
  [
    /^(jobRequests|blocks|rasters|resultFiles|documents|jobPredictionErrors|batchPredictionErrors|bodies)\./,
    'S3',
  ],
  [/^(deliveryQueue|deadLetters)\./, 'SQS'],
  [/^runner\./, 'Step Functions'],
  [/^bus\./, 'EventBridge'],
  [/^webhookSecrets\./, 'KMS'],
  [/^signer\./, 'Secrets Manager'],
];

/** @throws Error for a port without a known service, because no outage would reach it */
export function findService(call: string): Service | null {
  // These calls go to the client's receiver or bucket or to hosts of covariates, or only wait.
  if (/^(receiver\.|clientBuckets\.|destinationCheck\.|covariateFiles$|pause$)/.test(call)) {
    return null;
  }
  const known = PORTS.find(([pattern]) => pattern.test(call));
  if (known === undefined)
    throw new Error(`no service is known for the call ${call}; add it to PORTS`);
  return known[1];
}

/** Counts the calls of each service, and decides which of them fail. */
export class Outages {
  readonly calls = new Map<Service, number>();
  private until = 0;
  private readonly outage: Outage | undefined;

  constructor(outage: Outage | undefined) {
    this.outage = outage;
  }

  /** @param now the time in ms */
  isDown(service: Service, now: number): boolean {
    const before = this.calls.get(service) ?? 0;
    this.calls.set(service, before + 1);
    if (this.outage?.service !== service) return false;
    if (before === this.outage.fromCall) this.until = now + this.outage.minutes * 60_000;
    return now < this.until;
  }

  error(service: Service): Error {
    return service === 'Secrets Manager'
      ? new SigningKeyUnavailable('the secret cannot be read')
      : new ServiceDown(`${service} is down`);
  }
}
