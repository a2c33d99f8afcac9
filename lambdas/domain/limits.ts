import { MAX_VERTICES } from '#engine/geometry/polygon.ts';

export const LIMITS = {
  /** `States.ArrayRange` returns at most 1,000 numbers, and a status with all jobs stays below Lambda's 6 MB. */
  jobsPerBatch: 1_000,
  /** Base64 turns this into 5.33 MB; a synchronous Lambda payload may have 6 MB. */
  bodyBytes: 4_000_000,
  /** A DynamoDB item may have 400 KB, and metadata is part of every status and webhook. */
  metadataBytes: 64 * 1024,
  /**
   * Without a limit, a mistyped year would pass, because a static model has one map for all years. Not an AWS limit.
   */
  years: { first: 1_900, last: 2_100 },
  /**
   * The properties of one job, as JSON without white space. In a results table of 1,000 jobs they take 2 MB of Lambda's
   * 6 MB.
   */
  propertiesBytes: 2 * 1024,
  /** Not an AWS limit, because polygons are stored in S3; it bounds the time of one validation. */
  verticesPerJob: MAX_VERTICES,
  /**
   * `POST /v1/batch` validates all polygons before it responds, on the one vCPU that Lambda gives to 1,769 MB
   * (`memoryMb.plan`); API Gateway times out after 29 s. `bench/hostile-bodies.bench.ts` measures the worst polygons.
   */
  verticesPerBatch: 170_000,
  /** Charged area of one job, in hectares; configurable per tenant. Not an AWS limit. */
  hectaresPerJob: 5_000,
  /**
   * A job is charged at least its perimeter × this width, because a hair-thin polygon is predicted in every cell that
   * it touches. Not an AWS limit.
   */
  chargedWidthMetres: 10,
  /**
   * A job is charged at least this area for each ring of its polygon, however small: the area of a circle of radius
   * √2 × `chargedWidthMetres`. Not an AWS limit.
   */
  chargedSquareMetresPerRing: 628,
  /**
   * The number of times that the outline of one job may cross grid lines; it bounds the time of planning in `PlanJob`.
   * Not an AWS limit.
   */
  gridCrossingsPerJob: 2_000_000,
  /**
   * Jobs and charged area per tenant and UTC day, which bound a tenant's daily costs; configurable per tenant. Not an
   * AWS limit.
   */
  jobsPerDay: 10_000,
  hectaresPerDay: 250_000,
  /** The request rate of one tenant; configurable per tenant. Not an AWS limit. */
  requestsPerMinute: 600,
  /** 1,000 names of 255 four-byte characters add 1 MB to a status, whose Lambda payload may have 6 MB. */
  nameCharacters: 255,
  /** KMS `Encrypt` takes at most 4,096 bytes. */
  webhookSecretBytes: 1_024,
  /** The URL is stored in the batch item; a DynamoDB item may have 400 KB. */
  webhookUrlCharacters: 2_048,
  /** One page of patch-batches or jobs. DynamoDB returns at most 1 MB per query. */
  pageSize: { default: 100, max: 100 },
  /** One page of batches. DynamoDB's BatchGetItem reads at most 100 items. */
  batchesPage: { default: 20, max: 100 },
  /**
   * A page of batches ends early at these totals, because API Gateway times out after 29 s and a payload may have 6 MB.
   */
  listing: { batchesRead: 500, jobsCounted: 10_000, metadataBytes: 2_000_000 },
  /**
   * A page of a results table ends at these totals, because Lambda returns at most 6 MB. For each STAC Item the header
   * of a raster is read, and API Gateway times out after 29 s.
   */
  resultsPage: { bytes: 5_000_000, items: 100 },
  /** CPU time after which an estimate stops planning; API Gateway times out after 29 s. */
  estimateCpuSeconds: 2,
  /** The limit keeps the history of an inner map below Step Functions' 25,000 events, even if every retry is used. */
  patchBatchesPerJob: 400,
  /** Bounds the memory of assembly, which grows with every tile, even one without a cell. Not an AWS limit. */
  tilesPerRaster: 262_144,
  /**
   * Batches in one total, with at most 10,000 jobs, because all their items and errors are in memory together. Not an
   * AWS limit.
   */
  batchesPerTotal: 10,
  /** The job IDs that a total may exclude. API Gateway allows 10,240 bytes for the request line and headers. */
  excludedJobsPerTotal: 150,
  /** Each stratum takes part of the response, which may have 6 MB (Lambda). */
  strataPerTotal: 100,
  /** Requests to copy a batch's missing results. Not an AWS limit. */
  copyRequestsPerBatch: 10,
  /** The URIs of all jobs repeat the prefix of the destination, and the payload of a status may have 6 MB. */
  prefixCharacters: 128,
  /**
   * All job names in a batch with a destination, as JSON. Together with 1,000 URIs, the longest names would exceed the
   * 6 MB that Lambda allows for a status.
   */
  nameBytesWithDestination: 1_050_000,
  /** Deeper than any polygon in GeoJSON. It bounds the recursion of code that reads the JSON. */
  jsonDepth: 64,
} as const;

/** The specification sets the validity of signed URLs. SigV4 query signatures allow up to 7 days. */
export const SIGNED_URL_SECONDS = 24 * 60 * 60;

/** A batch that has waited for a slot this long fails with `deadline`. Not an AWS limit. */
export const QUEUE_DAYS = 7;

/** The timeout of a run. A batch with a slot ends earlier, because its deadline is at most 47 hours. */
export const RUN_DAYS = 2;

/** The longest time from the creation of a batch to its end. */
export const BATCH_DAYS = QUEUE_DAYS + RUN_DAYS;

/** A batch can be retried until this long after its completion. */
export const RETRY_DAYS = 3;

/**
 * Days for which blocks are kept after they are written (an S3 lifecycle counts whole days): time for the batch to run,
 * time to retry it, and time for the retry, which reuses the blocks, to wait and run.
 */
export const WORK_DAYS = RUN_DAYS + RETRY_DAYS + BATCH_DAYS;

export const RETENTION_DAYS = 30;

/** The length of the longest position with 6 decimals of a degree (0.1 m), including the comma after it. */
const POSITION_BYTES = '[-179.123456,-89.123456],'.length;
const JOB_BYTES = '{"polygon":{"type":"Polygon","coordinates":[[]]},"year":2024},'.length;
const ENVELOPE_BYTES = '{"jobs":[]}'.length;

/**
 * Returns the number of vertices that each of `jobs` polygons may have if they share one body evenly and the JSON has
 * no white space. With many jobs, the body limit is reached before the limit per job.
 */
export function verticesThatFit(jobs: number): number {
  const bytes = Math.floor((LIMITS.bodyBytes - ENVELOPE_BYTES) / jobs) - JOB_BYTES;
  return Math.min(LIMITS.verticesPerJob, Math.floor(bytes / POSITION_BYTES));
}
