import type { Variable } from './variables.ts';

const PACKS = ['LAMBDA_TASK_ROOT', 'MODEL_PACKS'] as const;
const RECEIVERS = ['WEBHOOK_SCHEMES', 'WEBHOOK_PRIVATE_RECEIVERS', 'WEBHOOK_PORTS'] as const;
const DISPATCH = [
  'STATE_MACHINE_ARN',
  'RUNNING_BATCHES',
  'RUNNING_BATCHES_RESERVED',
  'RUNNING_BATCHES_PER_TENANT',
] as const;
const PRICING = ['MEMORY_MB', 'AWS_REGION'] as const;
const FINISHING = ['WORK_BUCKET', 'RESULTS_BUCKET', 'WEBHOOK_QUEUE_URL', ...PRICING] as const;
const KEPT_KEYS = ['SIGNING_SECRET_ARN', 'SIGNING_USER_NAME'] as const;

/** What each function reads from its environment, by its file; `lib/permissions` sets exactly this. */
export const FUNCTION_VARIABLES = {
  'api/functions/authorizer': ['TABLE_NAME'],
  'api/functions/cancel-batch': ['TABLE_NAME', 'STATE_MACHINE_ARN', ...FINISHING],
  'api/functions/console': [
    'LAMBDA_TASK_ROOT',
    'RESULTS_BUCKET',
    'CONSOLE_TILE_URL',
    'CONSOLE_TILE_ATTRIBUTION',
  ],
  'api/functions/create-batch': [
    'TABLE_NAME',
    'WORK_BUCKET',
    'WEBHOOK_KEY_ARN',
    'RETENTION_DAYS',
    'CURSOR_SECRET_ARN',
    ...DISPATCH,
    ...PACKS,
    ...RECEIVERS,
  ],
  'api/functions/estimate-batch': [
    'TABLE_NAME',
    'JOBS_AT_ONCE',
    'PATCH_BATCHES_AT_ONCE',
    'RETENTION_DAYS',
    ...PACKS,
    ...PRICING,
    ...RECEIVERS,
  ],
  'api/functions/open': ['SERVICE_VERSION'],
  'api/functions/reads': [
    'TABLE_NAME',
    'JOBS_AT_ONCE',
    'CURSOR_SECRET_ARN',
    'RETENTION_DAYS',
    'RUNNING_BATCHES_PER_TENANT',
    ...PACKS,
  ],
  'api/functions/redeliver': ['TABLE_NAME', 'WEBHOOK_QUEUE_URL'],
  'api/functions/result-reads': [
    'TABLE_NAME',
    'WORK_BUCKET',
    'RESULTS_BUCKET',
    'CURSOR_SECRET_ARN',
    'RETENTION_DAYS',
    'SERVICE_VERSION',
    ...PACKS,
  ],
  'api/functions/retry-batch': ['TABLE_NAME', 'WORK_BUCKET', 'RETENTION_DAYS', ...DISPATCH],
  'api/functions/signed-reads': [
    'TABLE_NAME',
    'JOBS_AT_ONCE',
    'WORK_BUCKET',
    'RESULTS_BUCKET',
    'RETENTION_DAYS',
    'SIGNING_SECRET_ARN',
    'CURSOR_SECRET_ARN',
  ],
  'api/functions/test-webhook': ['TABLE_NAME', 'SERVICE_VERSION', ...RECEIVERS],
  'pipeline/assemble-raster': [
    'TABLE_NAME',
    'WORK_BUCKET',
    'RESULTS_BUCKET',
    'SERVICE_VERSION',
    ...PACKS,
  ],
  'pipeline/fail-patch-batch': ['TABLE_NAME'],
  'pipeline/finish-batch': ['TABLE_NAME', ...DISPATCH, ...FINISHING],
  'pipeline/finish-job': ['TABLE_NAME', 'RESULTS_BUCKET'],
  'pipeline/plan-job': ['TABLE_NAME', 'WORK_BUCKET', ...PACKS],
  'pipeline/predict-patch-batch': ['TABLE_NAME', 'WORK_BUCKET', ...PACKS],
  'reconcile/reconcile': ['TABLE_NAME', 'DEADLINE_HOURS', ...DISPATCH, ...FINISHING],
  'signing-key/first-key': ['RESULTS_BUCKET', ...KEPT_KEYS],
  'signing-key/remove-replaced-keys': KEPT_KEYS,
  'signing-key/rotate-key': ['RESULTS_BUCKET', ...KEPT_KEYS],
  'webhooks/deliver-webhook': [
    'TABLE_NAME',
    'WORK_BUCKET',
    'RESULTS_BUCKET',
    'WEBHOOK_QUEUE_URL',
    'WEBHOOK_DEAD_LETTER_QUEUE_URL',
    'WEBHOOK_KEY_ARN',
    'WEBHOOK_SCHEDULE_FACTOR',
    'SIGNING_SECRET_ARN',
    'SERVICE_VERSION',
    ...RECEIVERS,
  ],
  'widget/live-progress': ['TABLE_NAME', 'WORK_BUCKET'],
} as const satisfies Readonly<Record<string, readonly Variable[]>>;

/** A function's file under `lambdas/`, without its extension. */
export type FunctionFile = keyof typeof FUNCTION_VARIABLES;
