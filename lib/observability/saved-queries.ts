import { Stack } from 'aws-cdk-lib';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { listFunctions, type Watched } from './watched.ts';

interface SavedQuery {
  /** @default the logs of all functions */
  readonly over?: 'requests';
  readonly fields: readonly string[];
  readonly filters: readonly string[];
  readonly stats?: string;
  readonly sort: string;
}

/** The queries by name. Their fields are documented in `docs/logs.md`. Fill in the quoted values before use. */
export const SAVED_QUERIES: Readonly<Record<string, SavedQuery>> = {
  'one batch': {
    fields: [
      '@timestamp',
      'event',
      'job_index',
      'patch_batch_idx',
      'outcome',
      'duration_ms',
      'error',
    ],
    filters: ['batch_id = "put the batch_id here"'],
    sort: '@timestamp desc',
  },
  "a tenant's requests": {
    fields: ['@timestamp', 'event', 'method', 'status', 'batch_id', 'duration_ms', 'request_id'],
    filters: ['tenant = "put the tenant here"'],
    sort: '@timestamp desc',
  },
  "a tenant's work": {
    fields: ['@timestamp', 'event', 'batch_id', 'job_index', 'outcome', 'error', 'duration_ms'],
    // Only requests have a method; steps and deliveries do not.
    filters: ['tenant = "put the tenant here" and not ispresent(method)'],
    sort: '@timestamp desc',
  },
  'service errors': {
    fields: [
      '@timestamp',
      '@log',
      'event',
      'batch_id',
      'job_index',
      'failure',
      'fault.name',
      'fault.message',
    ],
    // Lines of the runtime have no event. For each key that the authorizer rejects, the runtime logs an error.
    filters: ['level = "ERROR" and ispresent(event)'],
    sort: '@timestamp desc',
  },
  'crashes and timeouts': {
    fields: ['@timestamp', '@log', '@message'],
    filters: [
      'type = "platform.report" and record.status != "success" or errorType like /./',
      // The authorizer throws this error for an invalid key.
      'coalesce(errorMessage, "") != "Unauthorized"',
    ],
    sort: '@timestamp desc',
  },
  operations: {
    fields: ['event', 'outcome', 'duration_ms'],
    filters: ['ispresent(method)'],
    stats: [
      'count(*) as requests',
      'sum(outcome = "refused") as refused',
      'sum(outcome = "failed") as failed',
      'pct(duration_ms, 50) as p50',
      'pct(duration_ms, 95) as p95',
      'pct(duration_ms, 99) as p99 by event',
    ].join(', '),
    sort: 'p95 desc',
  },
  // Of these statuses, functions return only 429, to tenants that exceed their request rate or daily quota.
  gateway: {
    over: 'requests',
    fields: ['method', 'resource', 'status', 'latency_ms'],
    filters: ['status in [401, 403, 429, 502, 504]'],
    stats: 'count(*) as requests, pct(latency_ms, 95) as p95 by status, method, resource',
    sort: 'requests desc',
  },
  'why jobs fail': {
    fields: ['error'],
    filters: ['event in ["plan-job", "assemble-raster", "finish-job"] and ispresent(error)'],
    stats: 'count(*) as jobs, count_distinct(batch_id) as batches by error',
    sort: 'jobs desc',
  },
  'expensive batches': {
    fields: ['@timestamp', 'batch_id', 'tenant', 'outcome', 'cost.total', 'cost.functions'],
    filters: ['event = "batch-ended"'],
    sort: 'cost.total desc',
  },
  'webhook attempts': {
    fields: [
      '@timestamp',
      'batch_id',
      'attempt',
      'outcome',
      'status_code',
      'reason',
      'next_attempt_at',
    ],
    filters: ['event = "delivery"'],
    sort: '@timestamp desc',
  },
  'reconciler runs': {
    fields: [
      '@timestamp',
      'outcome',
      'seen',
      'started',
      'restarted',
      'finished',
      'scheduled',
      'joined',
      'freed',
      'dispatched',
      'cut_short',
      'failures',
      'oldest_running_seconds',
      'oldest_queued_seconds',
    ],
    filters: ['event = "reconciled"'],
    sort: '@timestamp desc',
  },
};

export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const functions = listFunctions(watched).map((fn) => fn.logGroup);
    for (const [name, query] of Object.entries(SAVED_QUERIES)) {
      const { over, fields, filters, stats, sort } = query;
      new QueryDefinition(this, name.replace(/\W+/g, '-'), {
        queryDefinitionName: `${Stack.of(this).stackName}/${name}`,
        queryString: new QueryString({
          fields: [...fields],
          filterStatements: [...filters],
          ...(stats === undefined ? {} : { statsStatements: [stats] }),
          sort,
          limit: 200,
        }),
        logGroups: over === 'requests' ? [...watched.api.accessLogs] : functions,
      });
    }
  }
}
