import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startLocalService } from '../../../local/service.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';
import { killFunctions } from '../../support/deployed/function-processes.ts';
import { type ThrottlingProxy, throttlingProxy } from './throttling-proxy.ts';

export interface ChaoticService extends AsyncDisposable {
  readonly description: ServiceDescription;
  readonly table: Pick<ThrottlingProxy, 'throttle' | 'calls'>;
  /** From now on, kills the process of this fraction of invocations, unless they end first. */
  crashFunctions(rate: number): void;
  /** How many processes `crashFunctions` has killed. */
  crashes(): number;
  killFunctions(): Promise<number>;
}

export async function chaoticService(): Promise<ChaoticService> {
  const folder = mkdtempSync(join(tmpdir(), 'soil-batch-chaos-'));
  const rateFile = join(folder, 'crash-rate');
  writeFileSync(rateFile, '0');
  const proxy = await throttlingProxy();
  const service = await startLocalService({
    entry: 'test/chaos/emulator/app.ts',
    // The SDK sends its DynamoDB requests here:
    // https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.url, CRASH_RATE_FILE: rateFile },
    extensions: [fileURLToPath(new URL('crashing_functions.py', import.meta.url))],
    limits: { jobsPerDay: 100_000, hectaresPerDay: 1_000_000 },
    onEmulator: ({ endpointUrl }) => proxy.forwardTo(endpointUrl),
    onStep: (step) => console.log(`chaos: ${step} …`),
  });
  const { description, emulatorProcessId } = service;
  const { log_file } = description;
  if (emulatorProcessId === undefined || log_file === null) {
    throw new Error('only an emulator that this process started can have its functions killed');
  }
  return {
    description,
    table: proxy,
    crashFunctions: (rate) => writeFileSync(rateFile, String(rate)),
    crashes: () => readFileSync(log_file, 'utf8').split('chaos: killed ').length - 1,
    killFunctions: () => killFunctions(emulatorProcessId),
    async [Symbol.asyncDispose]() {
      await service.stop();
      await proxy[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
