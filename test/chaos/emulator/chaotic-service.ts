import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startLocalService } from '../../../local/service.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';
import { endFunctions } from '../../e2e/function-processes.ts';
import { type ThrottlingProxy, throttlingProxy } from './throttling-proxy.ts';

/** The whole service on an emulator in which things can be made to fail. Calm at first. */
export interface ChaoticService extends AsyncDisposable {
  readonly description: ServiceDescription;
  readonly table: Pick<ThrottlingProxy, 'throttle' | 'calls'>;
  /** From now on, this share of all calls of functions ends with their process's death. */
  functionsDie(share: number): void;
  /** How many have died so. */
  deaths(): number;
  /** Ends every process that runs a function, at once. */
  restartFunctions(): Promise<number>;
}

export async function chaoticService(): Promise<ChaoticService> {
  const folder = mkdtempSync(join(tmpdir(), 'soil-batch-chaos-'));
  const deathsFile = join(folder, 'deaths');
  writeFileSync(deathsFile, '0');
  const proxy = await throttlingProxy();
  const service = await startLocalService({
    entry: 'test/chaos/emulator/app.ts',
    // The SDK asks here for this one service: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.url, DEATHS_FILE: deathsFile },
    extensions: [fileURLToPath(new URL('dying_functions.py', import.meta.url))],
    limits: { jobsPerDay: 100_000, hectaresPerDay: 1_000_000 },
    onEmulator: ({ endpointUrl }) => proxy.forwardTo(endpointUrl),
    onStep: (step) => console.log(`chaos: ${step} …`),
  });
  const { description, emulatorProcessId } = service;
  const { log_file } = description;
  if (emulatorProcessId === undefined || log_file === null) {
    throw new Error('functions can only be ended in an emulator that was started here');
  }
  return {
    description,
    table: proxy,
    functionsDie: (share) => writeFileSync(deathsFile, String(share)),
    deaths: () => readFileSync(log_file, 'utf8').split('chaos: killed ').length - 1,
    restartFunctions: () => endFunctions(emulatorProcessId),
    async [Symbol.asyncDispose]() {
      await service.stop();
      await proxy[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
