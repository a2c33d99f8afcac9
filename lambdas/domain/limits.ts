import { MAX_VERTICES } from '../geometry/parse.ts';

/** What a request may ask for. `GET /v1/limits` states them; the docs are tested against them. */
export const LIMITS = {
  /** `States.ArrayRange` gives at most 1,000 numbers; a status of all jobs stays under Lambda's 6 MB. */
  jobsPerBatch: 1_000,
  /** Base64 makes 5.34 MB of it, and a synchronous Lambda payload ends at 6 MB. */
  bodyBytes: 4_000_000,
  /** A DynamoDB item ends at 400 KB; metadata also returns in every status and webhook. */
  metadataBytes: 64 * 1024,
  /** A polygon travels by S3, so this bounds the time of one validation, not an AWS limit. */
  verticesPerJob: MAX_VERTICES,
  /**
   * A creation judges them all while its client waits, on the one vCPU that Lambda gives 1,769 MB
   * (`memoryMb.plan`); API Gateway gives up after 29 s. The worst polygons found take 5 µs of CPU a
   * vertex (bench/create-worst-body.bench.ts), so a body stays under 1.5 s. With coordinates of 6
   * decimals, `bodyBytes` ends a body before this does.
   */
  verticesPerBatch: 170_000,
  /** Charged area of one job, in hectares, unless set for its tenant: no AWS limit; half a million cells of 10 m, few patch-batches. */
  hectaresPerJob: 5_000,
  /**
   * A job counts as at least its perimeter × this width, the cell of the finest common soil covariates:
   * a hair-thin polygon is predicted in every cell that it touches. No AWS limit.
   */
  chargedWidthMetres: 10,
  /**
   * Lines between cells that one job's outline may cross: planning takes some 3 s for so many, and
   * `PlanJob` has 120 s (Lambda ends at 900 s), an estimate 29 s at API Gateway.
   */
  gridCrossingsPerJob: 2_000_000,
  /** Jobs and charged area of a tenant's batches in one UTC day, unless set for the tenant: no AWS limit. */
  jobsPerDay: 1_000,
  hectaresPerDay: 5_000,
  /** Of a tenant, unless set for it: fifty batches polled as often as `Retry-After` says. No AWS limit. */
  requestsPerMinute: 600,
  /** 1,000 names of four bytes a character make 1 MB of a status, whose Lambda payload ends at 6 MB. */
  nameCharacters: 255,
  /** KMS `Encrypt` takes at most 4,096 bytes. */
  webhookSecretBytes: 1_024,
  /** Stands in the batch's item, and a DynamoDB item ends at 400 KB. */
  webhookUrlCharacters: 2_048,
  /** One page of patch-batches or jobs. DynamoDB returns at most 1 MB a query. */
  pageSize: { default: 100, max: 100 },
  /** One page of batches: each costs three reads and an answer's share of Lambda's 6 MB. */
  batchesPage: { default: 20, max: 100 },
  /** Where a page of batches ends early: API Gateway gives up after 29 s, a payload ends at 6 MB. */
  listing: { batchesRead: 500, jobsCounted: 20_000, metadataBytes: 2_000_000 },
  /**
   * An estimate plans no further job after this long: API Gateway gives up after 29 s. The last job
   * takes a few seconds more at most, by `gridCrossingsPerJob`.
   */
  estimateSeconds: 15,
  /** An inner map's history stays under Step Functions' 25,000 events even when every retry is used. */
  patchBatchesPerJob: 400,
  /** Assembly holds the place of each, some 100 bytes, also of those without a cell: no AWS limit. */
  tilesPerRaster: 262_144,
  /** Deeper JSON than any GeoJSON needs; bounds recursion in every later reader. */
  jsonDepth: 64,
} as const;

/** Validity of a signed URL, fixed by the specification. SigV4 query signatures allow up to 7 days. */
export const SIGNED_URL_SECONDS = 24 * 60 * 60;

/** Blocks of patch-batches are kept so long from their writing (S3 lifecycle counts whole days). */
export const WORK_DAYS = 7;

/** A batch so old is not retried: its blocks must last while it ran and while its retry runs, two days each at most. */
export const RETRY_DAYS = 3;

/** How long results stay readable unless the stage says otherwise. */
export const RETENTION_DAYS = 30;
