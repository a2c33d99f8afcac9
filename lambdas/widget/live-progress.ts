import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { dynamoDbClient } from '../adapters/clients.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoPatchBatchStore } from '../adapters/dynamodb/patch-batches.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { env } from '../adapters/environment.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { roleObjects } from '../adapters/s3/objects.ts';
import { type BatchDetailPorts, readBatchDetail } from '../domain/dashboard/batch-detail.ts';
import {
  type RunningBatchesPorts,
  readRunningBatches,
} from '../domain/dashboard/running-batches.ts';
import { isBatchId } from '../domain/identity.ts';
import { LIMITS } from '../domain/limits.ts';
import { log } from '../observability/log.ts';
import { type View, widgetPage } from './widget-page.ts';

/** The dashboard's request: its own context, and the parameters of the widget or of a link. */
const request = z.object({
  describe: z.catch(z._default(z.boolean(), false), false),
  batch_id: z.catch(z._default(z.nullable(z.string().check(z.maxLength(100))), null), null),
  job_index: z.catch(
    z._default(z.nullable(z.int().check(z.nonnegative(), z.lt(LIMITS.jobsPerBatch))), null),
    null,
  ),
  widgetContext: z.catch(
    z._default(z.object({ theme: z.enum(['light', 'dark']) }), { theme: 'light' }),
    { theme: 'light' },
  ),
});

const ports = widgetPorts();

/** The custom widget `live progress`: returns HTML for the dashboard, or its documentation in Markdown. */
export async function handler(event: unknown, context: Context): Promise<string> {
  const startedAt = performance.now();
  const parsed = request.parse(event ?? {});
  if (parsed.describe) return DOCUMENTATION;
  const view = await viewOf(parsed.batch_id, parsed.job_index);
  const page = widgetPage(view, parsed.widgetContext.theme, context.invokedFunctionArn);
  log('info', 'live-progress', {
    ...(view.kind === 'batch' ? { batch_id: view.detail.shown.batch.batchId } : {}),
    outcome: view.kind,
    bytes: page.length,
    duration_ms: Math.round(performance.now() - startedAt),
  });
  return page;
}

async function viewOf(batchId: string | null, jobIndex: number | null): Promise<View> {
  if (batchId === null) return { kind: 'board', batches: await readRunningBatches(ports) };
  const detail = isBatchId(batchId) ? await readBatchDetail(ports, batchId, jobIndex) : null;
  return detail === null ? { kind: 'no-batch', batchId } : { kind: 'batch', detail };
}

function widgetPorts(): RunningBatchesPorts & BatchDetailPorts {
  const table = openTable(env.TABLE_NAME, dynamoDbClient());
  return {
    batches: dynamoBatchStore(table),
    jobs: dynamoJobStore(table),
    jobRequests: s3JobRequests(roleObjects(env.WORK_BUCKET)),
    patchBatches: dynamoPatchBatchStore(table),
    clock: table.clock,
  };
}

/** What CloudWatch shows to editors of the dashboard (`describe: true`). */
const DOCUMENTATION = `## Live progress

Running batches with their progress, rate, time left and failures; one batch with its jobs,
the patch-batches of one of them, and its last errors. Reads the state table, changes nothing.

### Parameters

| parameter | example | |
|---|---|---|
| \`batch_id\` | \`"0192f0c1-…"\` | a batch to show instead of all running ones |
| \`job_index\` | \`0\` | its job whose patch-batches are drawn; by default a running one |

### Example

\`\`\` yaml
batch_id: 0192f0c1-7b1e-7c3a-9d5e-3f2a1b4c5d6e
\`\`\`
`;
