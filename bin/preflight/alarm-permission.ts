import * as z from 'zod';

/** A request of CloudWatch to an SNS topic or a KMS key when an alarm notifies. */
export interface AlarmRequest {
  readonly action: string;
  readonly resource: string;
  /** The account of the alarms. */
  readonly account: string;
  /** The ARN of one of the alarms. */
  readonly alarm: string;
}

/**
 * `denied`: by a statement, which overrides every `Allow`; `missing`: no statement allows it; `unclear`:
 * it depends on a condition that only AWS can evaluate.
 */
export type Permission = 'allowed' | 'denied' | 'missing' | 'unclear';

export const CLOUDWATCH = 'cloudwatch.amazonaws.com';

const list = z.union([z.string(), z.array(z.string())]).transform((one) => [one].flat());
const values = z
  .union([z.string(), z.boolean(), z.array(z.union([z.string(), z.boolean()]))])
  .transform((one) => [one].flat().map(String));
/** Strict: a statement with `NotAction`, `NotPrincipal` or `NotResource` is `unclear`. */
const statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Principal: z.union([z.string(), z.record(z.string(), list)]),
  Action: list,
  Resource: list,
  Condition: z.record(z.string(), z.record(z.string(), values)).default({}),
});
type Statement = z.infer<typeof statement>;
const policy = z.looseObject({
  Statement: z.union([statement, z.array(statement)]).transform((one) => [one].flat()),
});

/**
 * Whether a resource's policy allows CloudWatch's request.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function permissionOf(document: unknown, request: AlarmRequest): Permission {
  const parsed = policy.safeParse(document);
  if (!parsed.success) return 'unclear';
  const effects = parsed.data.Statement.map((one) => `${one.Effect} ${applies(one, request)}`);
  if (effects.includes('Deny yes')) return 'denied';
  if (effects.includes('Deny unclear')) return 'unclear';
  if (effects.includes('Allow yes')) return 'allowed';
  return effects.includes('Allow unclear') ? 'unclear' : 'missing';
}

type Applies = 'yes' | 'no' | 'unclear';

function applies(
  { Principal, Action, Resource, Condition }: Statement,
  request: AlarmRequest,
): Applies {
  const parts = [
    namesCloudWatch(Principal),
    yesOrNo(matchesAny(Action, request.action, 'i')),
    yesOrNo(matchesAny(Resource, request.resource)),
    ...Object.entries(Condition).flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, expected]) => holds(operator, key, expected, request)),
    ),
  ];
  if (parts.includes('no')) return 'no';
  return parts.includes('unclear') ? 'unclear' : 'yes';
}

/** The principal `*` includes services. Therefore SNS's default policy lets alarms of its account publish. */
function namesCloudWatch(principal: Statement['Principal']): Applies {
  if (typeof principal === 'string') return yesOrNo(principal === '*');
  const { AWS: accounts = [], Service: services = [] } = principal;
  return yesOrNo(accounts.includes('*') || services.includes(CLOUDWATCH));
}

function holds(
  operator: string,
  key: string,
  expected: readonly string[],
  { account, alarm }: AlarmRequest,
): Applies {
  const actual = new Map([
    ['aws:sourceaccount', account],
    // SNS's name for it, in the default policy of a new topic.
    ['aws:sourceowner', account],
    ['aws:sourcearn', alarm],
    ['aws:securetransport', 'true'],
  ]).get(key.toLowerCase());
  const compare = COMPARISONS[operator.replace(/IfExists$/, '').replace('Not', '')];
  if (actual === undefined || compare === undefined) return 'unclear';
  const matches = compare(expected, actual);
  // Only one alarm's ARN is compared: a pattern that does not match it may match others.
  if (!matches && actual === alarm) return 'unclear';
  return yesOrNo(matches !== operator.includes('Not'));
}

type Comparison = (expected: readonly string[], actual: string) => boolean;

/** Without the `Not` and `IfExists` that each may have. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  StringEquals: (expected, actual) => expected.includes(actual),
  Bool: (expected, actual) => expected.includes(actual),
  StringLike: (expected, actual) => matchesAny(expected, actual),
  ArnEquals: (expected, actual) => matchesAny(expected, actual),
  ArnLike: (expected, actual) => matchesAny(expected, actual),
};

const yesOrNo = (is: boolean): Applies => (is ? 'yes' : 'no');

/** `*` matches any text, `?` any character. */
function matchesAny(patterns: readonly string[], text: string, flags = ''): boolean {
  return patterns.some((pattern) => {
    const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
    return new RegExp(`^${source.replace(/\?/g, '.')}$`, flags).test(text);
  });
}
