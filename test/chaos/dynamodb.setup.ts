import type { TestProject } from 'vitest/node';
import { obtainEmulator } from '../../local/emulator/emulator.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodb: { readonly endpoint: string; readonly region: string };
  }
}

/** Starts an emulator without a deployment: the walk only needs its DynamoDB. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const emulator = await obtainEmulator();
  project.provide('dynamodb', { endpoint: emulator.endpointUrl, region: emulator.region });
  return () => emulator.stop();
}
