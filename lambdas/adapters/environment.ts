import * as z from 'zod/mini';
import type { AllowedPorts } from '../domain/delivery/receiver-policy.ts';

const text = z.string().check(z.minLength(1));
const arn = z.string().check(z.startsWith('arn:'));
const positive = z.coerce.number().check(z.int(), z.positive());
const optional = z.pipe(
  text,
  z.transform((value) => (value === 'none' ? null : value)),
);
const json = z.pipe(
  z.string(),
  z.transform((value): unknown => JSON.parse(value)),
);
const mb = z.int().check(z.positive());

/** The variables that functions read. `lib/permissions` sets most of them; Lambda sets the last two. */
const schema = z.object({
  TABLE_NAME: text,
  WORK_BUCKET: text,
  RESULTS_BUCKET: text,
  STATE_MACHINE_ARN: arn,
  COPY_FUNCTION_NAME: text,
  /** The principal in clients' trust policies: this account. */
  SERVICE_PRINCIPAL: arn,
  /** The start of every external ID; the tenant's name follows. */
  EXTERNAL_ID_SCOPE: text,
  /** The accounts to which results may be copied, as JSON; `null` for any. */
  DESTINATION_ACCOUNTS: z.pipe(json, z.nullable(z.array(text))),
  WEBHOOK_QUEUE_URL: z.url(),
  WEBHOOK_DEAD_LETTER_QUEUE_URL: z.url(),
  /** The operator's event bus, or `none`. */
  EVENT_BUS_ARN: optional,
  WEBHOOK_KEY_ARN: arn,
  SIGNING_SECRET_ARN: arn,
  /** The IAM user whose access key signs result URLs. */
  SIGNING_USER_NAME: text,
  /** A generated secret string, used as the HMAC key of cursors. */
  CURSOR_SECRET_ARN: arn,
  RETENTION_DAYS: positive,
  /** The hours after which an unfinished batch fails, from the time when it got its slots. */
  DEADLINE_HOURS: positive,
  /** In total. */
  RUNNING_BATCHES: positive,
  /** Only tenants without a running batch may take these slots. */
  RUNNING_BATCHES_RESERVED: z.coerce.number().check(z.int(), z.nonnegative()),
  /** Of each tenant, unless its record has another limit. */
  RUNNING_BATCHES_PER_TENANT: positive,
  /** Jobs of a batch that run concurrently. */
  JOBS_AT_ONCE: positive,
  /** Of one job. */
  PATCH_BATCHES_AT_ONCE: positive,
  /** Memory of the functions that a batch invokes, as JSON. */
  MEMORY_MB: z.pipe(json, z.object({ plan: mb, predict: mb, assemble: mb, deliver: mb })),
  SERVICE_VERSION: text,
  WEBHOOK_SCHEMES: z.pipe(
    z.enum(['https', 'https,http']),
    z.transform((schemes) => schemes.split(',') as readonly ('https' | 'http')[]),
  ),
  WEBHOOK_PRIVATE_RECEIVERS: z.enum(['refuse', 'allow']),
  /** `any`, `web` (see `AllowedPorts`), or port numbers separated by commas. */
  WEBHOOK_PORTS: z.pipe(
    z.string().check(z.regex(/^(any|web|\d+(,\d+)*)$/)),
    z.transform(
      (ports): AllowedPorts =>
        ports === 'any' || ports === 'web' ? ports : ports.split(',').map(Number),
    ),
  ),
  /** Factor applied to the delays between delivery attempts; less than 1 only in local deployments. */
  WEBHOOK_SCHEDULE_FACTOR: z.coerce.number().check(z.positive(), z.maximum(1)),
  /** Folders under `models/`, in the order in which the service tries them. */
  MODEL_PACKS: z.pipe(
    text,
    z.transform((packs): readonly string[] => packs.split(',')),
  ),
  /** Contact of the operator for covariate publishers, or `none`. */
  COVARIATE_CONTACT: optional,
  /** Concurrent requests of a function instance to one covariate publisher. */
  COVARIATE_REQUESTS_AT_ONCE: positive,
  COVARIATE_REQUESTS_PER_SECOND: positive,
  /** As JSON. */
  CONSOLE_BACKGROUNDS: z.pipe(
    json,
    z.array(z.object({ name: text, url: text, attribution: text, maxZoom: z.int() })),
  ),
  /** Whether other pages share the console's origin. */
  CONSOLE_ORIGIN_SHARED: z.stringbool(),
  AWS_REGION: text,
  LAMBDA_TASK_ROOT: text,
});

export type Variables = Readonly<z.infer<typeof schema>>;

export type Variable = keyof Variables;

/**
 * A variable is parsed when it is read.
 * @throws Error that names the variable if it is missing or malformed
 */
export const env: Variables = Object.defineProperties(
  {} as Variables,
  Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, { get: () => read(name as Variable) }]),
  ),
);

function read(name: Variable): unknown {
  const parsed = schema.shape[name].safeParse(process.env[name]);
  if (!parsed.success) throw new Error(`${name}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
