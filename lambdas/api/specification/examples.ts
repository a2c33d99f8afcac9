import meuse from '../../../examples/meuse-batch.json' with { type: 'json' };
import manifest from '../../../models/meuse-soc/manifest.json' with { type: 'json' };
import { allowanceOf } from '../../domain/admission/quota.ts';
import { RETENTION_DAYS } from '../../domain/limits.ts';
import { DEFAULT_TENANT_LIMITS } from '../../domain/tenant/tenant-limits.ts';
import { manifestSchema } from '../../model/pack/manifest.ts';
import { limitsView } from '../contract/limits-view.ts';
import { modelView } from '../contract/model-view.ts';
import { usageView } from '../contract/usage-view.ts';
import deliveries from './examples/deliveries.json' with { type: 'json' };
import estimate from './examples/estimate.json' with { type: 'json' };
import recorded from './examples/recorded.json' with { type: 'json' };

const pack = manifestSchema.parse(manifest);
const model = modelView(`${pack.id}@${pack.version}`, pack);

/**
 * What the document shows: a request with jobs of the example batch, and the answers a local
 * deployment gave to it (addresses, signatures and lists shortened). Tests send the one and hold the
 * others to their schemas.
 */
export const EXAMPLES = {
  ...recorded,
  ...deliveries,
  estimate,
  batchList: {
    batches: [{ ...recorded.batchStatus, jobs: [] }],
    has_more: false,
    next_cursor: null,
  },
  retried: {
    ...recorded.created,
    total_jobs: 1,
    total_tasks: 1,
    job_ids: { '0': recorded.created.job_ids['0'] },
    message: `1 job of batch 01a1fd70-3c1e-7a52-8d4b-5f6a7b8c9d0e is run again as a new batch. Progress and results: https://v2.soil.example/v1/batch/${recorded.created.batch_id}/status.`,
    retry_of: '01a1fd70-3c1e-7a52-8d4b-5f6a7b8c9d0e',
  },
  cancelled: { ...recorded.batchStatus, jobs: [] },
  createBatch: {
    jobs: meuse.jobs.slice(1, 3),
    metadata: { order: 'A-1042' },
    webhook_url: 'https://example.com/soil',
    webhook_secret: 'a secret of your own',
  },
  usage: usageView(
    allowanceOf('2026-03-04', DEFAULT_TENANT_LIMITS, {
      used: { jobs: 12, squareMetres: 3_275_130 },
      givenBack: { jobs: 1, squareMetres: 80_000 },
    }),
  ),
  limits: limitsView(DEFAULT_TENANT_LIMITS, {
    retentionDays: RETENTION_DAYS,
    runningBatches: 10,
  }),
  models: { models: [{ ...model, accuracy: model.accuracy.slice(0, 3) }] },
} as const;
