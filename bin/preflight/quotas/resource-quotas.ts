import { APIGatewayClient, paginateGetRestApis } from '@aws-sdk/client-api-gateway';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { GetAccountSummaryCommand, IAMClient } from '@aws-sdk/client-iam';
import type { StageConfig } from '../../../lib/config/stage-config.ts';
import type { StackResource } from '../../operator/stack-resources.ts';
import type { Connection } from '../../operator/stage-table.ts';
import { type Attempt, tryRead } from '../attempt.ts';
import type { Verdict } from '../finding.ts';
import { readWebAcls } from '../named-resources.ts';
import { CLOUDFRONT_QUOTAS } from './cloudfront-quotas.ts';
import { readQuota } from './service-quotas.ts';

/** Resources of a stage whose number AWS limits, in an account or in a region of it. */
export interface Limited {
  readonly about: string;
  /** In CloudFormation. */
  readonly type: string;
  /** The most that a stage's templates have; test/infra/resource-quotas.test.ts compares. */
  readonly made: number;
  /** How many more the running service makes. */
  readonly later?: number;
  /** Whether the stage makes any. */
  readonly in: (config: StageConfig) => boolean;
  readonly read: (sources: Sources) => Promise<Use>;
}

/** How many the account or the region has and may have. */
export interface Use {
  readonly used: number;
  readonly quota: number;
  /** Whether `quota` is AWS's default, which may have been raised. */
  readonly byDefault: boolean;
}

interface Sources {
  readonly connection: Connection;
  readonly summary: Promise<Readonly<Partial<Record<string, number>>>>;
}

export const LIMITED: readonly Limited[] = [
  {
    about: 'IAM roles',
    type: 'AWS::IAM::Role',
    made: 29,
    in: () => true,
    read: ({ summary }) => readInSummary(summary, 'Roles'),
  },
  {
    about: 'IAM users',
    type: 'AWS::IAM::User',
    made: 1,
    in: ({ results }) => results.signer === 'iam-user',
    read: ({ summary }) => readInSummary(summary, 'Users'),
  },
  {
    about: 'regional APIs',
    type: 'AWS::ApiGateway::RestApi',
    made: 2,
    in: () => true,
    read: ({ connection }) => readApis(connection),
  },
  {
    about: 'web ACLs',
    type: 'AWS::WAFv2::WebACL',
    made: 1,
    in: ({ firewall }) => firewall === 'on',
    read: async ({ connection }) => ({
      used: (await readWebAcls(connection, 'REGIONAL')).length,
      // https://docs.aws.amazon.com/waf/latest/developerguide/limits.html
      quota: 100,
      byDefault: true,
    }),
  },
  ...CLOUDFRONT_QUOTAS.map(
    ({ quota, count, ...limited }): Limited => ({
      ...limited,
      made: 1,
      in: ({ results }) => results.signer === 'cloudfront',
      read: async ({ connection }) => ({
        used: await count(new CloudFrontClient(connection)),
        quota,
        byDefault: true,
      }),
    }),
  ),
];

/** Of a quota, before the stage's deployment. */
export interface QuotaUse extends Use {
  /** The part of `used` that the stage's stacks have made. */
  readonly own: number;
}

/** Those of what the stage makes. */
export type QuotaUses = readonly {
  readonly limited: Limited;
  readonly use: Attempt<QuotaUse>;
}[];

/** @param resources of the stage's stacks */
export function readQuotaUses(
  connection: Connection,
  config: StageConfig,
  resources: Promise<readonly StackResource[]>,
): Promise<QuotaUses> {
  const summary = new IAMClient(connection)
    .send(new GetAccountSummaryCommand({}))
    .then(({ SummaryMap = {} }) => SummaryMap);
  const quotaUses = LIMITED.filter((limited) => limited.in(config)).map(async (limited) => {
    const use = await tryRead(async () => {
      const [use, made] = await Promise.all([limited.read({ connection, summary }), resources]);
      return { ...use, own: made.filter(({ type }) => type === limited.type).length };
    });
    return { limited, use };
  });
  return Promise.all(quotaUses);
}

async function readInSummary(summary: Sources['summary'], name: 'Roles' | 'Users'): Promise<Use> {
  const { [name]: used, [`${name}Quota`]: quota } = await summary;
  if (used === undefined || quota === undefined) throw new Error(`IAM did not count ${name}`);
  return { used, quota, byDefault: false };
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const REGIONAL_APIS = 600;

async function readApis(connection: Connection): Promise<Use> {
  const client = new APIGatewayClient(connection);
  const applied = await tryRead(() => readQuota(connection, 'apigateway', /^regional apis/i));
  const quota = applied.ok ? applied.value : null;
  let used = 0;
  for await (const { items = [] } of paginateGetRestApis({ client, pageSize: 500 }, {})) {
    const regional = items.filter(({ endpointConfiguration: { types = [] } = {} }) =>
      types.every((type) => type === 'REGIONAL'),
    );
    used += regional.length;
  }
  return { used, quota: quota ?? REGIONAL_APIS, byDefault: quota === null };
}

export function checkQuotaUse(
  { made, later = 0 }: Limited,
  { used, own, quota, byDefault }: QuotaUse,
): Verdict {
  const needed = Math.max(0, made - own) + (own === 0 ? later : 0);
  const says = `${used} of ${quota}${byDefault ? ' by default' : ''}; the stage makes up to ${needed} more`;
  if (used + needed <= quota) return { verdict: 'fine', says };
  const fails = `${says}, which fails`;
  if (!byDefault) return { verdict: 'wrong', says: fails };
  return { verdict: 'raise', says: `${fails} unless the quota was raised` };
}
