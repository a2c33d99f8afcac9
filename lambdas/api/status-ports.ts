import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import type { Table } from '../adapters/dynamodb/table.ts';
import { environment } from '../adapters/environment.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { s3ResultSigner } from '../adapters/s3/result-signer.ts';
import { roleObjects } from '../adapters/s3/role-objects.ts';
import { cursorKey } from '../adapters/secrets/cursor-key.ts';
import type { ReadBatchPorts } from '../domain/batch/read-batch.ts';
import type { ReadJobPorts } from '../domain/job/read-job.ts';

/** What a function needs that shows jobs with their signed URLs, page by page. */
export interface StatusPorts {
  readonly ports: ReadBatchPorts & Omit<ReadJobPorts, 'patchBatches'>;
  readonly readCursorKey: () => Promise<Uint8Array>;
}

export function statusPorts(table: Table): StatusPorts {
  const env = environment(
    'WORK_BUCKET',
    'RESULTS_BUCKET',
    'SIGNING_SECRET_ARN',
    'CURSOR_SECRET_ARN',
  );
  const secrets = new SecretsManagerClient({ ...CLIENT_OPTIONS });
  const ports: StatusPorts['ports'] = {
    batches: dynamoBatchStore(table),
    jobs: dynamoJobStore(table),
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    signer: s3ResultSigner({
      secrets,
      secretArn: env.SIGNING_SECRET_ARN,
      bucket: env.RESULTS_BUCKET,
    }),
    clock: () => new Date(),
  };
  return { ports, readCursorKey: cursorKey(secrets, env.CURSOR_SECRET_ARN) };
}
