import { secretsManagerClient } from '../../adapters/clients.ts';
import { cursorKey } from '../../adapters/cursor-key.ts';
import { dynamoBatchStore } from '../../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../../adapters/dynamodb/jobs.ts';
import { dynamoPatchBatchStore } from '../../adapters/dynamodb/patch-batches.ts';
import { dynamoRecentTimes } from '../../adapters/dynamodb/recent-times.ts';
import { env } from '../../adapters/environment.ts';
import { memoized } from '../../adapters/memoized.ts';
import { deployedPacks } from '../../adapters/packs/deployed-packs.ts';
import { s3JobRequests } from '../../adapters/s3/job-requests.ts';
import { roleObjects } from '../../adapters/s3/objects.ts';
import { resultSigner } from '../../adapters/signing-key/result-signer.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { JOB_OPERATIONS } from '../definitions/jobs.ts';
import { builtWith, type PortsOf } from '../handling/built-with.ts';
import { handleKeyed } from '../handling/handle-keyed.ts';
import { SIGNED_READS } from '../operations/signed-reads.ts';

export const handler = handleKeyed(
  'signed-reads',
  { ...BATCH_OPERATIONS, ...JOB_OPERATIONS },
  (table) => {
    const secrets = secretsManagerClient();
    const ports: PortsOf<typeof SIGNED_READS> = {
      batches: dynamoBatchStore(table),
      recentTimes: dynamoRecentTimes(table),
      jobsAtOnce: env.JOBS_AT_ONCE,
      jobs: dynamoJobStore(table),
      patchBatches: dynamoPatchBatchStore(table),
      jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
      signer: resultSigner({
        secrets,
        secretArn: env.SIGNING_SECRET_ARN,
        bucket: env.RESULTS_BUCKET,
      }),
      cursorKey: cursorKey(secrets, env.CURSOR_SECRET_ARN),
      catalogue: memoized(() => deployedPacks(env)),
      retentionDays: env.RETENTION_DAYS,
      clock: table.clock,
    };
    return builtWith(SIGNED_READS, ports);
  },
);
