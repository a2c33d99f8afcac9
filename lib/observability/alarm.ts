import {
  ComparisonOperator,
  type IMetric,
  type TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { StageConfig } from '../config/stage-config.ts';

/** The pages of `docs/runbooks`: what an alarm means and what to do. */
export const RUNBOOKS = [
  'page',
  'oldest-unfinished',
  'oldest-queued',
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

/** One alarm. */
export interface AlarmRule {
  readonly id: string;
  /** What has happened; the first sentence of the alarm's description. */
  readonly summary: string;
  readonly runbook: Runbook;
  /** `page`: act at once, through the composite alarm; `notify`: act in working hours, one message each. */
  readonly urgency: 'page' | 'notify';
  readonly metric: IMetric;
  readonly threshold: number;
  /** Alarms below the threshold instead of at or above it. */
  readonly below?: true;
  /** @default 1 */
  readonly periods?: number;
  /** @default NOT_BREACHING: no data means no problem */
  readonly missing?: TreatMissingData;
}

export const AT_LEAST = ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD;
export const BELOW = ComparisonOperator.LESS_THAN_THRESHOLD;

/** The text of an alarm, with the URL of its runbook, or the path without a configured URL. */
export function description(
  { alarms: { runbookUrl } }: Pick<StageConfig, 'alarms'>,
  { summary, runbook }: Pick<AlarmRule, 'summary' | 'runbook'>,
): string {
  const folder = runbookUrl ?? 'docs/runbooks';
  return `${summary}. Runbook: ${folder}/${runbook}.md`;
}
