/** The namespace of all metrics. The dimension `service`, which every metric has, identifies the stage. */
export const NAMESPACE = 'SoilBatch';

export interface DescribedMetric {
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  /**
   * Besides `service`, a metric has at most one dimension, with few values, because CloudWatch bills each value as a
   * metric.
   */
  readonly dimension?: string;
  readonly values?: readonly string[];
}

/**
 * AWS already measures requests, latency, errors, throttles, queues and executions. To see one tenant or batch, query
 * the log.
 */
export const METRICS = {
  BatchesFinished: {
    unit: 'Count',
    dimension: 'outcome',
    values: ['completed', 'partial', 'failed'],
  },
  /** The time from the creation of a batch to its final state. */
  BatchDuration: { unit: 'Seconds' },
  JobsFinished: {
    unit: 'Count',
    dimension: 'outcome',
    // Jobs are refused or cancelled because of the client's requests, and fail because of the service.
    values: ['completed', 'refused', 'cancelled', 'failed'],
  },
  PatchBatchesFinished: {
    unit: 'Count',
    dimension: 'outcome',
    values: ['predicted', 'reused', 'failed'],
  },
  /**
   * The time to predict one patch-batch, including loading the model and reading covariates, but not encoding the
   * block.
   */
  PredictionDuration: { unit: 'Milliseconds' },
  CellsPredicted: { unit: 'Count' },
  DeliveryAttempts: {
    unit: 'Count',
    dimension: 'outcome',
    values: ['acknowledged', 'retried', 'permanent', 'exhausted'],
  },
  /** The time that one attempt takes, up to the end of its exchange. */
  DeliveryDuration: { unit: 'Milliseconds' },
  /** A gauge that the reconciler sets every minute. */
  UnfinishedBatches: { unit: 'Count', dimension: 'status', values: ['pending', 'processing'] },
  /** For running batches, the time since they got their slots; for queued batches, since their creation. */
  OldestUnfinishedBatch: { unit: 'Seconds', dimension: 'status', values: ['running', 'queued'] },
  /** Recorded every minute; an alarm notices if it is missing. */
  ReconcilerRuns: { unit: 'Count' },
  ReconcilerFinds: {
    unit: 'Count',
    dimension: 'repair',
    // Unpublished events are events that the operator's bus did not accept; they do not fail the run.
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
  /** The time since the signing key was created, measured every hour. */
  SigningKeyAge: { unit: 'Seconds' },
} as const satisfies Readonly<Record<string, DescribedMetric>>;

export type MetricName = keyof typeof METRICS;

/** `never` for a metric without a dimension. */
export type ValueOf<Name extends MetricName> = (typeof METRICS)[Name] extends {
  readonly values: readonly (infer Value extends string)[];
}
  ? Value
  : never;
