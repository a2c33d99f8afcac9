import { connectTo, finishedBatch, openPage } from '../../support/console/batches.ts';
import { devConsole } from '../../support/console/dev-console.ts';

export async function openedBatch(body: Parameters<typeof finishedBatch>[1]) {
  const served = await devConsole();
  const { batch_id: id } = await finishedBatch(served, body);
  const finished = await connectTo(served).batch(id).status({ jobs: 'all' });
  const { page, faults } = await openPage(served, `#/batch/${id}`);
  return {
    ...{ served, finished, page, faults },
    go: (address: string) => page.evaluate(`location.hash = ${JSON.stringify(address)}`),
  };
}
