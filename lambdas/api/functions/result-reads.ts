import { s3Client, secretsManagerClient } from '../../adapters/clients.ts';
import { cursorKey } from '../../adapters/cursor-key.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { env } from '../../adapters/environment.ts';
import { memoized } from '../../adapters/memoized.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { s3BatchPredictionErrors } from '../../adapters/s3/prediction-errors.ts';
import { s3ResultFiles } from '../../adapters/s3/rasters.ts';
import { sdkObjects } from '../../adapters/s3/sdk-objects.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { JOB_OPERATIONS } from '../definitions/jobs.ts';
import { builtWith, type PortsOf } from '../handling/built-with.ts';
import { handleKeyed } from '../handling/handle-keyed.ts';
import { RESULT_READS } from '../operations/result-reads.ts';

export const handler = handleKeyed(
  'result-reads',
  { ...BATCH_OPERATIONS, ...JOB_OPERATIONS },
  (table, weigh) => {
    const client = s3Client();
    const ports: PortsOf<typeof RESULT_READS> = {
      batches: dynamoBatchStore(table),
      jobs: dynamoJobStore(table),
      jobRequests: s3JobRequests(sdkObjects(client, env.WORK_BUCKET)),
      batchPredictionErrors: s3BatchPredictionErrors(env.RESULTS_BUCKET),
      resultFiles: s3ResultFiles(client, env.RESULTS_BUCKET),
      catalogue: memoized(() => deployedPacks(env)),
      cursorKey: cursorKey(secretsManagerClient(), env.CURSOR_SECRET_ARN),
      retentionDays: env.RETENTION_DAYS,
      version: env.SERVICE_VERSION,
      clock: table.clock,
      weigh,
    };
    return builtWith(RESULT_READS, ports);
  },
);
