import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { FileOrder } from './test/support/file-order.ts';

/** This alias does the same as `paths` in tsconfig.json. */
const resolve = {
  alias: {
    'soil-batch-client': `${import.meta.dirname}/client/src/index.ts`,
  },
};

/** Vitest leaves one core idle by default, which is half of a small machine. */
const EVERY_CORE = { maxWorkers: '100%' } as const;

/**
 * Most test files take longer to load their modules than to run, so the files of a worker share modules.
 * Tests restore what they stub, and no module keeps state that changes a result.
 */
const SHARED_MODULES = { isolate: false } as const;

/**
 * End-to-end tests that other requests would disturb, or that disturb others: they deny permissions, restore
 * the table, read all queues, logs or alarms, or count or time all work.
 */
const ALONE = [
  'all-logs',
  'bad-keys',
  'cost',
  'dashboard',
  'restore',
  'runbooks',
  'secret-search',
  'smoke',
].map((name) => `test/e2e/${name}.test.ts`);

/** One emulator with the deployed service is shared by the projects `e2e` and `e2e-alone`. */
const DEPLOYED = {
  globalSetup: ['test/e2e/emulator.setup.ts'],
  // These only stop tests that never end: on a busy machine, some tests take minutes.
  testTimeout: 900_000,
  hookTimeout: 600_000,
};

const PROJECTS: readonly UserWorkspaceConfig[] = [
  {
    test: {
      name: 'unit',
      include: ['test/unit/**/*.test.ts'],
      setupFiles: ['test/unit/pure.setup.ts'],
      ...EVERY_CORE,
      ...SHARED_MODULES,
      // Far longer than the slowest tests take on a busy machine. A timeout cannot stop an endless synchronous loop, so
      // loops in tests are bounded.
      testTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'integration',
      include: ['test/integration/**/*.test.ts'],
      ...EVERY_CORE,
      ...SHARED_MODULES,
      // A page, a process or a server may take longer than the default second on a busy machine.
      expect: { poll: { timeout: 15_000 } },
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  },
  // This project needs QGIS, so it is not part of `npm test`.
  { test: { name: 'qgis', include: ['test/qgis/**/*.test.ts'], testTimeout: 120_000 } },
  {
    test: {
      name: 'faults',
      include: ['test/faults/**/*.test.ts'],
      ...EVERY_CORE,
      ...SHARED_MODULES,
      testTimeout: 300_000,
    },
  },
  {
    test: {
      name: 'infra',
      include: ['test/infra/**/*.test.ts'],
      ...EVERY_CORE,
      ...SHARED_MODULES,
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  },
  {
    test: {
      name: 'e2e',
      include: ['test/e2e/**/*.test.ts'],
      exclude: [...ALONE, 'test/e2e/night/**'],
      // These files mostly wait for the service, so four at a time keep two cores busy.
      maxWorkers: 4,
      ...SHARED_MODULES,
      ...DEPLOYED,
    },
  },
  {
    test: {
      name: 'e2e-alone',
      include: ALONE,
      fileParallelism: false,
      sequence: { groupOrder: 1 },
      ...SHARED_MODULES,
      ...DEPLOYED,
    },
  },
  {
    test: {
      // Tests with floods, killed functions and used-up quotas, which are not part of `npm test`.
      name: 'e2e-night',
      include: ['test/e2e/night/**/*.test.ts'],
      fileParallelism: false,
      ...DEPLOYED,
    },
  },
  {
    test: {
      // Tests of the commands for developing and deploying this project (setup, synth, audit, release), which are not
      // part of `npm test`.
      name: 'tooling',
      include: ['test/tooling/**/*.test.ts'],
      testTimeout: 600_000,
      hookTimeout: 600_000,
    },
  },
  {
    test: {
      name: 'contract',
      include: ['test/contract/**/*.test.ts'],
      globalSetup: ['test/e2e/emulator.setup.ts'],
      testTimeout: 1_800_000,
      hookTimeout: 600_000,
    },
  },
  {
    test: {
      name: 'generators',
      include: ['test/generators/*.test.ts'],
      testTimeout: 300_000,
    },
  },
  {
    test: {
      name: 'chaos',
      include: ['test/chaos/**/*.test.ts'],
      globalSetup: ['test/chaos/dynamodb.setup.ts'],
      testTimeout: 300_000,
      hookTimeout: 600_000,
    },
  },
  {
    test: {
      // This project needs Java and Maven, so it is not part of `npm test`.
      name: 'dynamodb-local',
      include: ['test/dynamodb-local/*.test.ts', 'test/integration/adapters/stores.test.ts'],
      globalSetup: ['test/dynamodb-local/dynamodb.setup.ts'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  },
  {
    test: {
      // Runs the state machine in a second Step Functions interpreter. Not part of `npm test`.
      name: 'moto',
      include: ['test/moto/*.test.ts'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  },
  {
    test: {
      // These tests deploy twice, to a separate emulator.
      name: 'upgrade',
      include: ['test/upgrade/**/*.test.ts'],
      testTimeout: 1_200_000,
      hookTimeout: 600_000,
    },
  },
];

export default defineConfig({
  test: {
    sequence: { sequencer: FileOrder },
    projects: PROJECTS.map((project) => ({ ...project, resolve })),
  },
});
