import { openStageTable } from '../../bin/operator/stage-table.ts';
import { dynamoTenantRecords } from '../../lambdas/adapters/dynamodb/tenants.ts';
import { timestamp } from '../../lambdas/domain/clock.ts';
import { aSquare } from '../../test/support/box.ts';

// Batches for the screenshots in the docs.

/** The screenshots need more in some minutes than a tenant's daily quota. */
export async function raiseLimits(tenant: string): Promise<void> {
  const table = await openStageTable('local');
  const records = dynamoTenantRecords(table);
  const limits = { jobsPerDay: 100_000, hectaresPerDay: 1_000_000 };
  const createdAt = timestamp(table.clock());
  await records.create({ tenant, createdAt, disabledAt: null, limits });
  await records.setLimits(tenant, limits);
}

/** A square within the default model's coverage. */
function field(index: number, degrees: number) {
  const [west, south] = [5.722 + (index % 12) * 0.0012, 50.956 + (index % 9) * 0.002];
  return { polygon: aSquare(west, south, degrees), year: 2024, name: `Field ${index + 1}` };
}

const bowTie = {
  polygon: {
    type: 'Polygon',
    coordinates: [
      [
        [5.73, 50.96],
        [5.74, 50.97],
        [5.74, 50.96],
        [5.73, 50.97],
        [5.73, 50.96],
      ],
    ],
  },
  year: 2024,
  name: 'Bow tie',
};

/** Jobs of fields, with an occasional bow tie. */
export const someFields = (count: number, degrees: number) =>
  Array.from({ length: count }, (_, index) => (index % 17 === 7 ? bowTie : field(index, degrees)));
