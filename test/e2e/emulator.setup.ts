import type { TestProject } from 'vitest/node';
import { startLocalService } from '../../local/service.ts';
import type { ServiceDescription } from '../../local/service-file.ts';
import { faultsOf } from './faults.ts';
import { connectToSlopeBucket, makePacks } from './packs/packs.ts';
import { servePublishedMap } from './packs/published-map.ts';

interface ServiceUnderTest extends ServiceDescription {
  readonly other_tenant_api_key: string;
  /** The key of a tenant for generated requests, which may use up its quota. */
  readonly contract_api_key: string;
  /** The ID of the process that starts the functions' processes; null if the emulator was started elsewhere. */
  readonly emulator_process_id: number | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    service: ServiceUnderTest;
  }
}

const NO_THROTTLING = { requestsPerMinute: 1_000_000 };

export async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Vitest calls this once for each project.
  if ('service' in vitest.getProvidedContext()) return undefined;
  makePacks();
  const map = await servePublishedMap();
  const environment = { NODE_EXTRA_CA_CERTS: map.certificateFile };
  // The synthesis, a child of this process, also opens the map.
  Object.assign(process.env, environment);
  const service = await startLocalService({
    // The stage `local` with an event bus and more packs, of which `openlandmap-soc` covers the world for jobs that
    // name it.
    entry: 'test/e2e/packs/app.ts',
    environment,
    onEmulator: async (emulator) => {
      const owner = connectToSlopeBucket(emulator);
      await owner.createBucket();
      await owner.put();
      owner.close();
    },
    // The suite exceeds a tenant's daily quota and request rate, which have separate tests.
    limits: { jobsPerDay: 100_000, hectaresPerDay: 1_000_000, ...NO_THROTTLING },
    onStep: (step) => console.log(`end to end: ${step} …`),
  });
  vitest.provide('service', {
    ...service.description,
    other_tenant_api_key: await service.issueApiKey('another-tenant'),
    contract_api_key: await service.issueApiKey('contract', NO_THROTTLING),
    emulator_process_id: service.emulatorProcessId ?? null,
  });
  return async () => {
    if (vitest.state.getCountOfFailedTests() > 0) {
      console.error(
        ['Errors of the service and the emulator:', ...(await faultsOf(service.description))].join(
          '\n',
        ),
      );
    }
    await service.stop();
    map.close();
  };
}
