import * as z from 'zod';
import { LIMITS, RETENTION_DAYS } from '../lambdas/domain/limits.ts';
import { STAGES, type StageName } from './stages.ts';

/** CloudWatch Logs keeps a group for one of these many days only. */
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 180, 365] as const;

/** Lambda: 128 to 10,240 MB; one full CPU from 1,769 MB on. */
const memoryMb = z.number().int().min(128).max(10_240);

/** Open map runs of an account (Step Functions quota, can be raised). */
const OPEN_MAP_RUNS = 1_000;

const schemes = z.union(
  [z.tuple([z.literal('https')]), z.tuple([z.literal('https'), z.literal('http')])],
  {
    error: 'must be ["https"] or ["https", "http"]',
  },
);

/** An account's default in a region: 10,000 requests a second, bursts of 5,000. */
const throttle = z.strictObject({
  requestsPerSecond: z.number().int().min(1).max(10_000),
  burst: z.number().int().min(1).max(5_000),
});

const baseUrl = z.url().regex(/[^/]$/, 'must not end with a slash');

const domain = z.strictObject({
  host: z.hostname(),
  /** Of a certificate in the stack's own region, as regional APIs want it. */
  certificateArn: z.string().regex(/^arn:aws[a-z-]*:acm:/, 'must be the ARN of an ACM certificate'),
});

const members = z.strictObject({
  stage: z.enum(STAGES),
  /** Days until `results_expire_at`; objects live two days longer. */
  retentionDays: z.number().int().min(1).max(365),
  /** Hours after which an unfinished batch is given up; a batch's execution ends by itself after 48. */
  deadlineHours: z.number().int().min(1).max(47),
  /** What becomes of table, buckets, keys and secrets when their stack is deleted. */
  removalPolicy: z.enum(['retain', 'destroy']),
  deletionProtection: z.boolean(),
  pointInTimeRecovery: z.boolean(),
  logRetentionDays: z.union(
    LOG_RETENTION_DAYS.map((days) => z.literal(days)),
    {
      error: `must be one of ${LOG_RETENTION_DAYS.join(', ')}`,
    },
  ),
  /** Folder of the packs, from the clone's root. */
  modelsFolder: z.string().min(1),
  /** Folders in it; a job without `model` takes the first whose coverage holds it. */
  modelPacks: z.array(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must be a folder name')).min(1),
  webhooks: z.strictObject({
    schemes,
    privateReceivers: z.enum(['refuse', 'allow']),
    /** Ports that a receiver's URL may name, its scheme's own included. */
    ports: z.union([z.literal('any'), z.array(z.int().min(1).max(65_535)).min(1)], {
      error: 'must be "any" or a list of ports, such as [443]',
    }),
    /** Deliveries at a time. An SQS event source takes 2 to 1,000. */
    concurrency: z.number().int().min(2).max(1_000),
    /** Of the delays between attempts: less than 1 only where a person would wait for the last one. */
    scheduleFactor: z.number().positive().max(1),
  }),
  /**
   * Batches that run at a time; the others wait for their turn. Each is one open map run, of which an
   * account has 1,000.
   */
  runningBatches: z
    .strictObject({
      /** Of all tenants. */
      inAll: z.number().int().min(1).max(OPEN_MAP_RUNS),
      /** Of each tenant for which nothing else was set. */
      perTenant: z.number().int().min(1).max(OPEN_MAP_RUNS),
    })
    .refine(({ inAll, perTenant }) => perTenant <= inAll, {
      path: ['perTenant'],
      error: 'must be at most inAll',
    }),
  concurrency: z.strictObject({
    /** Jobs of a batch at a time. A distributed map runs 10,000 children, an account 1,000 functions. */
    jobs: z.number().int().min(1).max(LIMITS.jobsPerBatch),
    /** Patch-batches of a job at a time. An inline map runs about 40 iterations at once. */
    patchBatches: z.number().int().min(1).max(40),
  }),
  memoryMb: z.strictObject({
    api: memoryMb,
    plan: memoryMb,
    predict: memoryMb,
    assemble: memoryMb,
    deliver: memoryMb,
  }),
  /** Of each operation, over all tenants; of creations by themselves, which cost most. */
  throttling: z.strictObject({ ...throttle.shape, creations: throttle }),
  /** Origins whose pages may read the APIs' answers in a browser (CORS). */
  corsOrigins: z.union(
    [
      z.literal('any'),
      z.array(
        z
          .string()
          .regex(
            /^https?:\/\/[a-z0-9.-]+(:\d+)?$/,
            'must be an origin, such as https://app.example.com',
          ),
      ),
    ],
    { error: 'must be "any" or a list of origins, such as ["https://app.example.com"]' },
  ),
  alarms: z.strictObject({
    /** Who is told by a topic of the stack's own; without it alarms are seen in CloudWatch only. */
    email: z.email().optional(),
    /** A topic that exists, in place of one of the stack's own; its key must let CloudWatch use it. */
    topicArn: z
      .string()
      .regex(/^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]+$/, 'must be the ARN of an SNS topic')
      .optional(),
    /** Where `docs/runbooks` is read; alarms link to it. Without it they name the file. */
    runbookUrl: baseUrl.optional(),
    /** A batch that is unfinished for so long wakes somebody. */
    oldestUnfinishedMinutes: z
      .int()
      .min(5)
      .max(47 * 60),
  }),
  /**
   * Where clients reach the APIs when it is not API Gateway's own address: a custom domain, a proxy.
   * No trailing slash.
   */
  addresses: z.strictObject({ v1: baseUrl, v2: baseUrl }).optional(),
  /** Hosts of one's own for the APIs, in place of API Gateway's; `addresses` follow from them. */
  domains: z
    .strictObject({
      v1: domain,
      v2: domain,
      /** Route 53 zone in which the hosts' records are made; without it they are made by hand. */
      hostedZone: z.strictObject({ id: z.string().min(1), name: z.hostname() }).optional(),
    })
    .optional(),
  /** Networks from which the APIs may be called; without it, from anywhere. */
  allowedNetworks: z
    .array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be a network, such as 192.0.2.0/24' }))
    .min(1)
    .optional(),
  /** A web ACL before the APIs. Charged by the rule and the request. */
  firewall: z.enum(['off', 'on']),
  /** How new versions of the API's functions take over; a gradual one goes back on errors. */
  rollout: z.enum(['at-once', 'canary', 'linear']),
});

const schema = members
  // The contract's schedule is the one thing of it that configuration could break.
  .refine(({ stage, webhooks }) => stage === 'local' || webhooks.scheduleFactor === 1, {
    path: ['webhooks', 'scheduleFactor'],
    error: 'must be 1, but in the stage "local"',
  })
  .refine(({ addresses, domains }) => addresses === undefined || domains === undefined, {
    path: ['addresses'],
    error: 'follow from domains; only one of the two may be given',
  });

/** Every key there is, nested ones by their path: what the documentation has to tell. */
export function configurationKeys(): readonly string[] {
  return keysOf('', members);
}

function keysOf(path: string, schema: z.core.$ZodType): readonly string[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([key, value]) =>
    keysOf(path === '' ? key : `${path}.${key}`, value),
  );
}

/** Everything that differs between deployments of the service. */
export type StageConfig = Readonly<z.infer<typeof schema>>;

/**
 * @throws Error that names every key that is wrong or unknown, and what is allowed
 */
export function parseConfig(input: unknown): StageConfig {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'it'}: ${message}`,
  );
  throw new Error(`stage configuration is not valid:\n  ${problems.join('\n  ')}`);
}

const dev = {
  stage: 'dev',
  retentionDays: RETENTION_DAYS,
  deadlineHours: 24,
  removalPolicy: 'destroy',
  deletionProtection: false,
  pointInTimeRecovery: false,
  logRetentionDays: 14,
  modelsFolder: 'models',
  modelPacks: ['meuse-soc'],
  webhooks: {
    schemes: ['https'],
    privateReceivers: 'refuse',
    ports: [443],
    concurrency: 10,
    scheduleFactor: 1,
  },
  runningBatches: { inAll: 20, perTenant: 5 },
  concurrency: { jobs: 10, patchBatches: 10 },
  memoryMb: { api: 1_024, plan: 1_769, predict: 1_769, assemble: 1_769, deliver: 512 },
  throttling: {
    requestsPerSecond: 50,
    burst: 100,
    creations: { requestsPerSecond: 20, burst: 50 },
  },
  corsOrigins: [],
  alarms: { oldestUnfinishedMinutes: 180 },
  firewall: 'off',
  rollout: 'at-once',
} satisfies StageConfig;

const stages: Readonly<Record<StageName, StageConfig>> = {
  dev,
  prod: {
    ...dev,
    stage: 'prod',
    removalPolicy: 'retain',
    deletionProtection: true,
    pointInTimeRecovery: true,
    logRetentionDays: 90,
    webhooks: { ...dev.webhooks, concurrency: 50 },
    // More functions at a time than the account has are throttled, and steps tried again with patience.
    runningBatches: { inAll: 100, perTenant: 10 },
    // 20 × 20 = 400 predictions at a time leave more than half of an account's 1,000 to the others.
    concurrency: { jobs: 20, patchBatches: 20 },
    throttling: {
      requestsPerSecond: 200,
      burst: 400,
      creations: { requestsPerSecond: 100, burst: 200 },
    },
    rollout: 'canary',
  },
  local: {
    ...dev,
    stage: 'local',
    logRetentionDays: 1,
    webhooks: {
      schemes: ['https', 'http'],
      privateReceivers: 'allow',
      ports: 'any',
      concurrency: 2,
      scheduleFactor: 1,
    },
    // Where a page in the making is served: Vite's own port, under both names of this machine.
    corsOrigins: ['http://localhost:5173', 'http://127.0.0.1:5173'],
    // A laptop's few cores, each function a process of its own.
    runningBatches: { inAll: 4, perTenant: 2 },
    // One job of a batch at a time leaves another tenant's batch a core.
    concurrency: { jobs: 1, patchBatches: 2 },
    throttling: { ...dev.throttling, creations: { requestsPerSecond: 50, burst: 100 } },
  },
};

/**
 * The configuration of a stage, as `cdk -c stage=…` names it.
 * @throws Error that says which stages there are
 */
export function stageConfig(stage: unknown = 'dev'): StageConfig {
  const name = members.shape.stage.safeParse(stage);
  if (!name.success) {
    throw new Error(
      `stage: there is no "${stage}"; use -c stage=${members.shape.stage.options.join(', ')}`,
    );
  }
  return parseConfig(stages[name.data]);
}
