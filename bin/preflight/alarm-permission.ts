import * as z from 'zod';

/** What CloudWatch asks of a topic or a key when an alarm notifies. */
export interface AlarmCall {
  readonly action: string;
  readonly resource: string;
  /** Of the alarms. */
  readonly account: string;
  /** The ARN of one of the alarms. */
  readonly alarm: string;
}

/**
 * `denied`: by a statement, whatever others allow; `missing`: no statement allows it; `unclear`: a
 * condition decides that only AWS can evaluate.
 */
export type Permission = 'allowed' | 'denied' | 'missing' | 'unclear';

export const CLOUDWATCH = 'cloudwatch.amazonaws.com';

const list = z.union([z.string(), z.array(z.string())]).transform((one) => [one].flat());
const values = z
  .union([z.string(), z.boolean(), z.array(z.union([z.string(), z.boolean()]))])
  .transform((one) => [one].flat().map(String));
/** Strict: a statement with `NotAction` and its like is left to AWS. */
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
 * Whether a resource's policy lets CloudWatch make the call.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function permissionOf(document: unknown, call: AlarmCall): Permission {
  const parsed = policy.safeParse(document);
  if (!parsed.success) return 'unclear';
  const judged = parsed.data.Statement.map((one) => `${one.Effect} ${applies(one, call)}`);
  if (judged.includes('Deny yes')) return 'denied';
  if (judged.includes('Deny unclear')) return 'unclear';
  if (judged.includes('Allow yes')) return 'allowed';
  return judged.includes('Allow unclear') ? 'unclear' : 'missing';
}

type Applies = 'yes' | 'no' | 'unclear';

function applies({ Principal, Action, Resource, Condition }: Statement, call: AlarmCall): Applies {
  const parts = [
    namesCloudWatch(Principal),
    yesOrNo(matchesAny(Action, call.action, 'i')),
    yesOrNo(matchesAny(Resource, call.resource)),
    ...Object.entries(Condition).flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, wanted]) => holds(operator, key, wanted, call)),
    ),
  ];
  if (parts.includes('no')) return 'no';
  return parts.includes('unclear') ? 'unclear' : 'yes';
}

/** Everybody includes services: by that, SNS's default policy lets alarms of its account publish. */
function namesCloudWatch(principal: Statement['Principal']): Applies {
  if (typeof principal === 'string') return yesOrNo(principal === '*');
  const { AWS: accounts = [], Service: services = [] } = principal;
  return yesOrNo(accounts.includes('*') || services.includes(CLOUDWATCH));
}

function holds(
  operator: string,
  key: string,
  wanted: readonly string[],
  { account, alarm }: AlarmCall,
): Applies {
  const actual = new Map([
    ['aws:sourceaccount', account],
    // SNS's own name for it, in the policy that it gives a new topic.
    ['aws:sourceowner', account],
    ['aws:sourcearn', alarm],
    ['aws:securetransport', 'true'],
  ]).get(key.toLowerCase());
  const compare = COMPARISONS[operator.replace(/IfExists$/, '').replace('Not', '')];
  if (actual === undefined || compare === undefined) return 'unclear';
  const fits = compare(wanted, actual);
  // One alarm stands for all: a pattern that it does not fit may fit others.
  if (!fits && actual === alarm) return 'unclear';
  return yesOrNo(fits !== operator.includes('Not'));
}

type Comparison = (wanted: readonly string[], actual: string) => boolean;

/** Each may also stand with `Not` and `IfExists`. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  StringEquals: (wanted, actual) => wanted.includes(actual),
  Bool: (wanted, actual) => wanted.includes(actual),
  StringLike: (wanted, actual) => matchesAny(wanted, actual),
  ArnEquals: (wanted, actual) => matchesAny(wanted, actual),
  ArnLike: (wanted, actual) => matchesAny(wanted, actual),
};

const yesOrNo = (is: boolean): Applies => (is ? 'yes' : 'no');

/** `*` is any text, `?` any character. */
function matchesAny(patterns: readonly string[], text: string, flags = ''): boolean {
  return patterns.some((pattern) => {
    const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
    return new RegExp(`^${source.replace(/\?/g, '.')}$`, flags).test(text);
  });
}
