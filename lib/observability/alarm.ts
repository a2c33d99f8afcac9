import {
  ComparisonOperator,
  type IMetric,
  type TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { StageConfig } from '../config/stage-config.ts';

/** The pages of `docs/runbooks`: what an alarm means, and what to do. */
export const RUNBOOKS = [
  'page',
  'oldest-unfinished',
  'error-rate',
  'jobs-failing',
  'function-errors',
  'throttles',
  'reconciler-silent',
  'batches-restarted',
  'signing-key-old',
  'dead-letters',
  'late-deliveries',
  'delivery-failures',
  'quota-near',
  'rollout-failing',
] as const;
export type Runbook = (typeof RUNBOOKS)[number];

/** One thing that somebody should act on. */
export interface AlarmRule {
  readonly id: string;
  /** What a person reads first: what has happened, in the service's words. */
  readonly says: string;
  readonly runbook: Runbook;
  /** `page`: at once, by the composite alarm; `tell`: in working hours, by its own message. */
  readonly urgency: 'page' | 'tell';
  readonly metric: IMetric;
  readonly threshold: number;
  /** Goes off below the threshold, not from it on. */
  readonly below?: true;
  /** @default 1 */
  readonly periods?: number;
  /** @default NOT_BREACHING: nothing measured is nothing wrong */
  readonly missing?: TreatMissingData;
}

export const AT_LEAST = ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD;
export const BELOW = ComparisonOperator.LESS_THAN_THRESHOLD;

/** The text of an alarm, with the address of its runbook, or its path where none is configured. */
export function description(
  { alarms: { runbookUrl } }: Pick<StageConfig, 'alarms'>,
  { says, runbook }: Pick<AlarmRule, 'says' | 'runbook'>,
): string {
  const folder = runbookUrl ?? 'docs/runbooks';
  return `${says}. Runbook: ${folder}/${runbook}.md`;
}
