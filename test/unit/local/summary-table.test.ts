import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatSummaryTable, type SummarisedJob } from '../../../local/demo/summary-table.ts';
import { SUMMARY } from '../../support/api/batch-with-results.ts';
import { aDeployment, postBatch } from '../../support/domain/deployment.ts';
import { runJob } from '../../support/domain/run-job.ts';

describe('the table of the demo', () => {
  it('equals the table in the page about rasters', async () => {
    const { jobs } = JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8'));
    const summarised: SummarisedJob[] = [];
    for (const job of jobs) {
      const deployment = aDeployment();
      const { batch_id: batchId } = await postBatch(deployment, [job]);
      await runJob(deployment, batchId);
      const record = await deployment.jobs.read(batchId, 0);
      if (record?.status !== 'completed' || record.summary === undefined) continue;
      summarised.push({ name: job.name, summary: record.summary });
    }
    expect(summarised).toHaveLength(2);
    const table = formatSummaryTable(summarised).join('\n');
    expect(readFileSync('docs/rasters.md', 'utf8')).toContain(table);
  });

  it('omits values that a job does not have', () => {
    const summary = {
      ...SUMMARY,
      ...{ predicted_area_ha: 1.234, mean: 6.5, unit: 'pH', stock: null },
      ...{ lower: null, upper: null, level: null, method: null },
    };
    expect(formatSummaryTable([{ name: 'Acre', summary }])[1]).toMatch(/^Acre +1\.23 +6\.5$/);
  });
});
