import * as z from 'zod';
import { BATCH_DAYS } from '../../lambdas/domain/limits.ts';
import { STAGES } from '../stages.ts';
import { capacity } from './capacity.ts';
import { baseUrl, cors, endpoints } from './endpoints.ts';

/** Some of the retention periods, in days, that CloudWatch Logs supports. */
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 180, 365] as const;

const retention = {
  /**
   * Days from creation to `results_expire_at`. A batch that waited for as long as possible must leave at least one day
   * to read its results. Objects are kept two days longer.
   */
  retentionDays: z
    .number()
    .int()
    .min(BATCH_DAYS + 1)
    .max(365),
  /** Hours after which a running batch ends and its unfinished jobs fail. Its execution times out after 48 hours. */
  deadlineHours: z.number().int().min(1).max(47),
  /** What happens to table, buckets, keys, secrets and access logs when their stack is deleted. */
  removalPolicy: z.enum(['retain', 'destroy']),
  deletionProtection: z.boolean(),
  pointInTimeRecovery: z.boolean(),
  logRetentionDays: z.union(
    LOG_RETENTION_DAYS.map((days) => z.literal(days)),
    {
      error: `must be one of ${LOG_RETENTION_DAYS.join(', ')}`,
    },
  ),
};

const schemes = z.union(
  [z.tuple([z.literal('https')]), z.tuple([z.literal('https'), z.literal('http')])],
  {
    error: 'must be ["https"] or ["https", "http"]',
  },
);

const deliveries = {
  webhooks: z.strictObject({
    schemes,
    privateReceivers: z.enum(['refuse', 'allow']),
    /** Ports that a receiver's URL may use, including the default port of its scheme. */
    ports: z.union([z.enum(['web', 'any']), z.array(z.int().min(1).max(65_535)).min(1).max(50)], {
      error: 'must be "web", "any" or a list of at most 50 ports, such as [443]',
    }),
    /** Concurrent deliveries. An SQS event source allows 2 to 1,000. */
    concurrency: z.number().int().min(2).max(1_000),
    /** Factor applied to the delays between attempts; less than 1 only in the stage `local`. */
    scheduleFactor: z.number().positive().max(1),
  }),
};

const events = {
  /** The account's default bus, or the ARN of a bus in the stacks' Region; without it, nothing is published. */
  eventBus: z
    .union(
      [
        z.literal('default'),
        z.string().regex(/^arn:aws:events:[\w-]+:\d{12}:event-bus\/[\w./-]{1,256}$/),
      ],
      { error: 'must be "default" or the ARN of an event bus' },
    )
    .optional(),
};

/** The longest e-mail address (RFC 5321, section 4.5.3.1). */
const EMAIL_CHARACTERS = 254;

const alarms = {
  alarms: z.strictObject({
    /** The address to which the topic of the stack sends alarms; with `none`, alarms appear only in CloudWatch. */
    email: z
      .union([z.literal('none'), z.email().max(EMAIL_CHARACTERS)], {
        error: 'must be an e-mail address or "none"',
      })
      .optional(),
    /** An existing topic to use instead. The topic's KMS key must allow CloudWatch to use the key. */
    topicArn: z
      .string()
      .regex(/^arn:aws:sns:[\w-]+:\d{12}:[\w-]{1,256}$/, 'must be the ARN of an SNS topic')
      .optional(),
    /** The base URL of `docs/runbooks`, for links in alarms; without it, alarms name the file. */
    runbookUrl: baseUrl.optional(),
    /** The alarm is raised when a batch has held its slot for this long. */
    oldestUnfinishedMinutes: z
      .int()
      .min(5)
      .max(47 * 60),
  }),
};

const costs = {
  /**
   * Sends an e-mail when the costs of the whole account reach 80 % and 100 % of this amount in a month. Stops nothing.
   */
  budget: z
    .strictObject({
      dollarsAMonth: z.number().positive().max(1_000_000),
      email: z.email().max(EMAIL_CHARACTERS),
    })
    .optional(),
};

/**
 * The tags that AWS allows, except the service's own:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html
 */
const TAG_KEY = /^(?!aws:|(service|stage)$)[\p{L}\p{N} _.:/=+\-@]{1,128}$/iu;
const TAG_VALUE = /^[\p{L}\p{N} _.:/=+\-@]{0,256}$/u;

/** Each resource repeats all tags, and a template has at most 1 MB. */
const TAG_BYTES = 2_000;

const governance = {
  /** A managed policy that bounds every role and user of the stacks, as some organisations require. */
  permissionsBoundary: z
    .string()
    .regex(
      /^arn:aws:iam::(\d{12}|aws):policy\/[\w+=,.@/-]{1,640}$/,
      'must be the ARN of a managed policy',
    )
    .optional(),
  /** Tags of every resource, besides the service's own, as some organisations require. AWS allows 50 per resource. */
  tags: z
    .record(
      z
        .string()
        .regex(
          TAG_KEY,
          'must be a key of 1 to 128 letters, digits, spaces and _.:/=+-@, but not service, stage or aws:…',
        ),
      z
        .string()
        .regex(TAG_VALUE, 'must have at most 256 characters: letters, digits, spaces and _.:/=+-@'),
    )
    .refine((tags) => Object.keys(tags).length <= 40, 'must have at most 40 tags')
    .refine((tags) => Buffer.byteLength(Object.entries(tags).flat().join('')) <= TAG_BYTES, {
      error: `must have at most ${TAG_BYTES} bytes in total, because each resource of a template repeats them`,
    })
    .optional(),
  /**
   * The role with which API Gateway writes access logs of all APIs in the account and Region: `set` creates one and
   * replaces an existing setting, `keep` requires an existing one.
   */
  apiLogRole: z.enum(['set', 'keep']),
};

const destinations = {
  /**
   * The AWS accounts whose roles a `destination` may name; an empty list turns destinations off. They are one of a
   * function's variables, which have at most 4 KB in total.
   * @default any account
   */
  destinationAccounts: z
    .array(z.string().regex(/^\d{12}$/, 'must be an AWS account ID of 12 digits, as text'))
    .max(50)
    .optional(),
};

const fields = z.strictObject({
  stage: z.enum(STAGES),
  ...retention,
  /** Folder of the packs, relative to the root of the repository. */
  modelsFolder: z.string().min(1),
  /**
   * At most 20 folders in `modelsFolder`. A job without `model` uses the first pack that covers its year and contains
   * its polygon, or else the first that covers its year and overlaps its polygon. Packs with `by_name_only` or
   * `for_checks` are skipped.
   */
  modelPacks: z
    .array(
      z
        .string()
        .regex(
          /^[a-z][a-z0-9_-]{0,62}$/,
          'must be a folder name of lower-case letters, digits, _ and -, beginning with a letter',
        ),
    )
    .max(20),
  ...deliveries,
  ...events,
  ...capacity,
  ...cors,
  ...alarms,
  ...costs,
  ...endpoints,
  ...destinations,
  ...governance,
});

const schema = fields
  // Clients rely on the documented schedule.
  .refine(({ stage, webhooks }) => stage === 'local' || webhooks.scheduleFactor === 1, {
    path: ['webhooks', 'scheduleFactor'],
    error: 'must be 1, except in the stage "local"',
  })
  .refine(({ baseUrls, domains }) => baseUrls === undefined || domains === undefined, {
    path: ['baseUrls'],
    error: 'must not be set together with domains, which already determine them',
  });

export type StageConfig = Readonly<z.infer<typeof schema>>;

/** Whether a proxy serves V2 below a path, so that other sites' pages share the console's origin. */
export function isOriginShared({ baseUrls }: Pick<StageConfig, 'baseUrls'>): boolean {
  return baseUrls !== undefined && new URL(baseUrls.v2).pathname !== '/';
}

/** @throws Error that names every invalid or unknown key, and what is allowed */
export function parseConfig(input: unknown): StageConfig {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidConfigError(parsed.error.issues.flatMap(formatIssue));
}

/** @param problems each starts with its key */
export function invalidConfigError(problems: readonly string[]): Error {
  const lines = problems.map((problem) => `\n  ${problem}`).join('');
  return new Error(`the stage's configuration is not valid (lib/config/each-stage.ts):${lines}`);
}

function formatIssue(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const within = path === '' ? '' : `${path}.`;
    return issue.keys.map((key) => `${within}${key}: ${describeUnknownKey(within)}`);
  }
  return [`${path}: ${issue.message.replace(/received undefined$/, 'but it is missing')}`];
}

function describeUnknownKey(within: string): string {
  const known = listConfigurationKeys()
    .filter((key) => key.startsWith(within))
    .map((key) => key.slice(within.length).split('.')[0]);
  return `unknown key; known keys: ${[...new Set(known)].join(', ')}`;
}

/** Lists every key, nested keys by their path. The documentation must list them all. */
export function listConfigurationKeys(): readonly string[] {
  return listKeys('', fields);
}

function listKeys(path: string, schema: z.core.$ZodType): readonly string[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([key, value]) =>
    listKeys(path === '' ? key : `${path}.${key}`, value),
  );
}
