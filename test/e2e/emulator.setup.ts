import type { TestProject } from 'vitest/node';
import { startLocalService } from '../../local/service.ts';
import type { ServiceDescription } from '../../local/service-file.ts';
import { makePacks, slopesOwner } from './packs/packs.ts';

/** What every end-to-end test knows of the service: how to reach it, and keys of other tenants. */
interface ServiceUnderTest extends ServiceDescription {
  readonly other_tenant_api_key: string;
  /** Of the tenant whose quota generated requests may use up. */
  readonly contract_api_key: string;
  /** Its children run the functions; null when the emulator is someone else's. */
  readonly emulator_process_id: number | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    service: ServiceUnderTest;
  }
}

const UNHURRIED = { requestsPerMinute: 1_000_000 };

/** One fresh emulator, with the service deployed to it, for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  makePacks();
  const service = await startLocalService({
    // The stage `local` with two packs more, of another place than the default one.
    entry: 'test/e2e/packs/app.ts',
    onEmulator: async (emulator) => {
      const owner = slopesOwner(emulator);
      await owner.createBucket();
      await owner.put();
      owner.close();
    },
    // The suite makes more batches than a day allows its tenant, and polls without rest; what a day
    // and a minute allow has its own tests.
    limits: { jobsPerDay: 100_000, hectaresPerDay: 1_000_000, ...UNHURRIED },
    onStep: (step) => console.log(`end to end: ${step} …`),
  });
  project.provide('service', {
    ...service.description,
    other_tenant_api_key: await service.issueApiKey('another-tenant'),
    contract_api_key: await service.issueApiKey('contract', UNHURRIED),
    emulator_process_id: service.emulatorProcessId ?? null,
  });
  return () => service.stop();
}
