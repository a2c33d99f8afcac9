import type { StageConfig } from '../config/stage-config.ts';

/** The pages of `docs/runbooks`: what an alarm means and what to do. */
export const RUNBOOKS = [
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
  'events-unpublished',
  'quota-near',
] as const;
export type Runbook = (typeof RUNBOOKS)[number];

/** The text of an alarm, with its urgency and the URL of its runbook, or the path without a configured URL. */
export function description(
  { alarms: { runbookUrl } }: Pick<StageConfig, 'alarms'>,
  alarm: { readonly summary: string; readonly runbook: Runbook; readonly urgent?: true },
): string {
  const folder = runbookUrl ?? 'docs/runbooks';
  const urgency = alarm.urgent ? 'Urgent: ' : '';
  return `${urgency}${alarm.summary}. Runbook: ${folder}/${alarm.runbook}.md`;
}
