import {
  countedJob,
  finishedRaster,
  type JobStore,
  jobRecord,
  plannedJob,
  storedError,
} from '../../domain/job/job.ts';
import { batchPartition, jobKey, PREFIX } from './item-keys.ts';
import { readExpiry, readItem, readRange, type Table } from './table.ts';
import { putOnCondition, setAttributes, updateOnCondition } from './transition.ts';

export function dynamoJobStore(table: Table): JobStore {
  return {
    async list(batchId) {
      const items = await readRange(table, batchPartition(batchId), PREFIX.job, AFTER_JOBS);
      return items.map((item) => jobRecord.parse(item));
    },

    async listCounted(batchId) {
      const items = await readRange(table, batchPartition(batchId), PREFIX.job, AFTER_JOBS, {
        ProjectionExpression: '#status, updated_at, point_count, completed_points, expires_at',
        ExpressionAttributeNames: { '#status': 'status' },
      });
      return items.map((item) => countedJob.parse(item));
    },

    async read(batchId, index) {
      const item = await readItem(table, jobKey(batchId, index));
      return item === null ? null : jobRecord.parse(item);
    },

    async begin(batchId, index, planned, at) {
      return putOnCondition(table, {
        Item: {
          ...jobKey(batchId, index),
          job_index: index,
          status: 'processing',
          updated_at: at,
          ...plannedJob.parse(planned),
          completed_patch_batches: 0,
          completed_points: 0,
          predicted_points: 0,
          prediction_ms: 0,
          expires_at: await readExpiry(table, batchId),
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

    async complete(batchId, index, at, raster) {
      const completed = {
        status: 'completed',
        completed_at: at,
        updated_at: at,
        ...finishedRaster.parse(raster),
      };
      return updateOnCondition(table, {
        Key: jobKey(batchId, index),
        ...setAttributes(completed, { ':processing': 'processing' }),
        ConditionExpression: '#status = :processing',
      });
    },

    async fail(batchId, index, error, at) {
      const failed = {
        job_index: index,
        status: 'failed',
        completed_at: at,
        updated_at: at,
        error: storedError.parse(error),
        expires_at: await readExpiry(table, batchId),
      };
      return updateOnCondition(table, {
        Key: jobKey(batchId, index),
        ...setAttributes(failed, { ':processing': 'processing' }),
        ConditionExpression: 'attribute_not_exists(pk) OR #status = :processing',
      });
    },
  };
}

/** In ASCII, '~' sorts after every digit. */
const AFTER_JOBS = `${PREFIX.job}~`;
