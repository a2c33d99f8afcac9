import * as z from 'zod/mini';
import {
  type CountedJob,
  JOB_ERROR_CODES,
  JOB_WARNING_CODES,
  type JobError,
  type JobModel,
  type JobRecord,
  type JobResult,
  type JobState,
  type JobStore,
  type JobUsage,
} from '../../domain/job/job.ts';
import { storedSummary } from '../../domain/job/job-summary.ts';
import { batchPartition, jobKey } from './item-keys.ts';
import { expiryOf, type Item, readItem, readRange, type Table } from './table.ts';
import { putOnCondition, updateOnCondition } from './transition.ts';

export function dynamoJobStore(table: Table): JobStore {
  return {
    async list(batchId) {
      const items = await readRange(table, batchPartition(batchId), 'JOB#', AFTER_JOBS);
      return items.map(fromItem);
    },

    async listCounted(batchId) {
      const items = await readRange(table, batchPartition(batchId), 'JOB#', AFTER_JOBS, {
        ProjectionExpression: '#status, updated_at, point_count, completed_points, expires_at',
        ExpressionAttributeNames: { '#status': 'status' },
      });
      return items.map(countedFrom);
    },

    async read(batchId, index) {
      const item = await readItem(table, jobKey(batchId, index));
      return item === null ? null : fromItem(item);
    },

    async begin(batchId, index, planned, at) {
      return putOnCondition(table, {
        Item: {
          ...jobKey(batchId, index),
          job_index: index,
          status: 'processing',
          updated_at: at,
          model: modelItem(planned.model),
          warnings: planned.warnings,
          total_patch_batches: planned.totalPatchBatches,
          completed_patch_batches: 0,
          point_count: planned.pointCount,
          completed_points: 0,
          predicted_points: 0,
          shares: planned.shares,
          prediction_ms: 0,
          expires_at: await expiryOf(table, batchId),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
    },

    async registerUpload(batchId, index, uploadId, at) {
      return updateOnCondition(table, {
        Key: jobKey(batchId, index),
        UpdateExpression:
          'SET uploads = list_append(if_not_exists(uploads, :none), :upload), updated_at = :at',
        ConditionExpression: '#status = :processing',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':none': [],
          ':upload': [uploadId],
          ':processing': 'processing',
          ':at': at,
        },
      });
    },

    async complete(batchId, index, at, { bytes, etag, summary }) {
      return updateOnCondition(table, {
        Key: jobKey(batchId, index),
        UpdateExpression: `SET #status = :completed, completed_at = :at, updated_at = :at, raster_bytes = :bytes, raster_etag = :etag${
          summary === undefined ? '' : ', summary = :summary'
        }`,
        ConditionExpression: '#status = :processing',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':completed': 'completed',
          ':processing': 'processing',
          ':at': at,
          ':bytes': bytes,
          ':etag': etag,
          ...(summary === undefined ? {} : { ':summary': summary }),
        },
      });
    },

    async fail(batchId, index, error, at) {
      return updateOnCondition(table, {
        Key: jobKey(batchId, index),
        UpdateExpression:
          'SET #status = :failed, #error = :error, job_index = :index, completed_at = :at, updated_at = :at, expires_at = :end',
        ConditionExpression: 'attribute_not_exists(pk) OR #status = :processing',
        ExpressionAttributeNames: { '#status': 'status', '#error': 'error' },
        ExpressionAttributeValues: {
          ':failed': 'failed',
          ':processing': 'processing',
          ':error': error,
          ':index': index,
          ':at': at,
          ':end': await expiryOf(table, batchId),
        },
      });
    },
  };
}

/** '~' sorts after every digit. */
const AFTER_JOBS = 'JOB#~';

const jobError = z.object({
  code: z.enum(JOB_ERROR_CODES),
  message: z.string(),
  location: z.nullable(
    z.object({ ring: z.number(), vertex: z.number(), lon: z.number(), lat: z.number() }),
  ),
});

const plannedItem = z.object({
  model: z.object({
    id: z.string(),
    temporal: z.enum(['static', 'period']),
    data_period: z.tuple([z.number(), z.number()]),
    sha256: z.string(),
  }),
  warnings: z.array(z.object({ code: z.enum(JOB_WARNING_CODES), message: z.string() })),
  total_patch_batches: z.int(),
  completed_patch_batches: z.int(),
  point_count: z.int(),
  completed_points: z.int(),
  predicted_points: z.int(),
});

/** Jobs have these attributes from the planning on, like those of the plan. */
const usageItem = z.object({
  shares: z.int(),
  prediction_ms: z.number(),
  raster_bytes: z.optional(z.int()),
});

/** Only completed jobs have these attributes. */
const resultItem = z.object({ raster_bytes: z.int(), raster_etag: z.string() });

const stateItem = z.discriminatedUnion('status', [
  z.object({ status: z.literal('processing') }),
  z.object({ status: z.literal('completed'), completed_at: z.string() }),
  z.object({ status: z.literal('failed'), completed_at: z.string(), error: jobError }),
]);

const jobItem = z.object({
  job_index: z.int(),
  updated_at: z.string(),
  uploads: z.optional(z.array(z.string())),
  summary: z.optional(storedSummary),
});

function fromItem(item: Item): JobRecord {
  const { job_index, updated_at, uploads, summary } = jobItem.parse(item);
  const common = {
    index: job_index,
    updatedAt: updated_at,
    state: stateOf(stateItem.parse(item)),
    ...(item['raster_etag'] === undefined ? {} : { result: resultOf(resultItem.parse(item)) }),
    ...(uploads === undefined ? {} : { uploads }),
    ...(summary === undefined ? {} : { summary }),
  };
  if (item['model'] === undefined) return { ...common, model: null, progress: null, warnings: [] };
  const plan = plannedItem.parse(item);
  return {
    ...common,
    model: modelOf(plan.model),
    warnings: plan.warnings,
    use: useOf(usageItem.parse(item)),
    progress: {
      totalPatchBatches: plan.total_patch_batches,
      completedPatchBatches: plan.completed_patch_batches,
      pointCount: plan.point_count,
      completedPoints: plan.completed_points,
      predictedPoints: plan.predicted_points,
    },
  };
}

/** The points are absent if the job failed before it was planned. */
const countedItem = z.object({
  status: z.enum(['processing', 'completed', 'failed']),
  updated_at: z.string(),
  point_count: z.optional(z.int()),
  completed_points: z.optional(z.int()),
});

function countedFrom(item: Item): CountedJob {
  const { status, updated_at, point_count, completed_points = 0 } = countedItem.parse(item);
  const progress =
    point_count === undefined
      ? null
      : { pointCount: point_count, completedPoints: completed_points };
  return { state: { status }, updatedAt: updated_at, progress };
}

function stateOf(item: z.infer<typeof stateItem>): JobState {
  switch (item.status) {
    case 'processing':
      return { status: 'processing' };
    case 'completed':
      return { status: 'completed', completedAt: item.completed_at };
    case 'failed': {
      const error: JobError = item.error;
      return { status: 'failed', completedAt: item.completed_at, error };
    }
  }
}

function useOf({ shares, prediction_ms, raster_bytes }: z.infer<typeof usageItem>): JobUsage {
  const rasterBytes = raster_bytes === undefined ? {} : { rasterBytes: raster_bytes };
  return { shares, predictionMs: prediction_ms, ...rasterBytes };
}

function resultOf({ raster_bytes, raster_etag }: z.infer<typeof resultItem>): JobResult {
  return { bytes: raster_bytes, etag: raster_etag };
}

function modelItem({ dataPeriod, ...model }: JobModel) {
  return { ...model, data_period: dataPeriod };
}

function modelOf(item: z.infer<typeof plannedItem>['model']): JobModel {
  const { data_period: dataPeriod, ...model } = item;
  return { ...model, dataPeriod };
}
