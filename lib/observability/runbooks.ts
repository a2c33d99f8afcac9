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
  'events-unpublished',
  'quota-near',
  'rollout-failing',
] as const;
export type Runbook = (typeof RUNBOOKS)[number];

/** The text of an alarm, with the URL of its runbook, or the path without a configured URL. */
export function description(
  { alarms: { runbookUrl } }: Pick<StageConfig, 'alarms'>,
  { summary, runbook }: { readonly summary: string; readonly runbook: Runbook },
): string {
  const folder = runbookUrl ?? 'docs/runbooks';
  return `${summary}. Runbook: ${folder}/${runbook}.md`;
}
