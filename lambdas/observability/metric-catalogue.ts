/** The namespace of all metrics. The dimension `service`, which every metric has, identifies the stage. */
export const NAMESPACE = 'SoilBatch';

export interface Described {
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  /** One more dimension at most, and its few values: each is a metric that CloudWatch bills. */
  readonly dimension?: string;
  readonly values?: readonly string[];
}

/**
 * What the service measures of itself. What AWS measures anyway (requests and their latency, errors,
 * throttles, queues, executions) is read there. Never a tenant or a batch: query the log for those.
 */
export const METRICS = {
  BatchesFinished: {
    unit: 'Count',
    dimension: 'outcome',
    values: ['completed', 'partial', 'failed'],
  },
  /** The time from the creation to the final state. */
  BatchDuration: { unit: 'Seconds' },
  JobsFinished: {
    unit: 'Count',
    dimension: 'outcome',
    // Refused and cancelled: because of the sender's request. Failed: because of the service.
    values: ['completed', 'refused', 'cancelled', 'failed'],
  },
  PatchBatchesFinished: {
    unit: 'Count',
    dimension: 'outcome',
    values: ['predicted', 'reused', 'failed'],
  },
  /** The time of one patch-batch, including the reading of its covariates. */
  PredictionDuration: { unit: 'Milliseconds' },
  CellsPredicted: { unit: 'Count' },
  DeliveryAttempts: {
    unit: 'Count',
    dimension: 'outcome',
    values: ['acknowledged', 'retried', 'permanent', 'exhausted'],
  },
  /** The time of one attempt, to the end of its exchange. */
  DeliveryDuration: { unit: 'Milliseconds' },
  /** Gauges of the reconciler, every minute. */
  UnfinishedBatches: { unit: 'Count', dimension: 'status', values: ['pending', 'processing'] },
  /** Running: since it got its slot. Queued: since its creation. */
  OldestUnfinishedBatch: { unit: 'Seconds', dimension: 'status', values: ['running', 'queued'] },
  /** One a minute: its silence is an alarm. */
  ReconcilerRuns: { unit: 'Count' },
  ReconcilerFinds: {
    unit: 'Count',
    dimension: 'repair',
    // Unpublished: events that the operator's bus did not accept; they fail no run.
    values: [
      'started',
      'restarted',
      'finished',
      'scheduled',
      'joined',
      'freed',
      'failed',
      'unpublished',
    ],
  },
  /** The time since the key that signs results was made, measured every hour. */
  SigningKeyAge: { unit: 'Seconds' },
} as const satisfies Readonly<Record<string, Described>>;

export type MetricName = keyof typeof METRICS;

/** The values of a metric's dimension; never for a metric without one. */
export type ValueOf<Name extends MetricName> = (typeof METRICS)[Name] extends {
  readonly values: readonly (infer Value extends string)[];
}
  ? Value
  : never;
