import {
  type CloudFrontClient,
  ListCachePoliciesCommand,
  ListKeyGroupsCommand,
  ListResponseHeadersPoliciesCommand,
  paginateListDistributions,
  paginateListOriginAccessControls,
  paginateListPublicKeys,
} from '@aws-sdk/client-cloudfront';

export interface LimitedInCloudFront {
  readonly about: string;
  /** In CloudFormation. A stage's templates have one. */
  readonly type: string;
  /** AWS's default. */
  readonly quota: number;
  /** How many more the running service makes. */
  readonly later?: number;
  readonly count: (client: CloudFrontClient) => Promise<number>;
}

/** https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html */
export const CLOUDFRONT_QUOTAS: readonly LimitedInCloudFront[] = [
  {
    about: 'distributions',
    type: 'AWS::CloudFront::Distribution',
    quota: 500,
    count: (client) => total(paginateListDistributions({ client }, {}), 'DistributionList'),
  },
  {
    about: 'origin access controls',
    type: 'AWS::CloudFront::OriginAccessControl',
    quota: 100,
    count: (client) =>
      total(paginateListOriginAccessControls({ client }, {}), 'OriginAccessControlList'),
  },
  {
    about: 'public keys',
    type: 'AWS::CloudFront::PublicKey',
    quota: 10,
    // At a rotation: two that sign, and one that a dead process left.
    later: 3,
    count: (client) => total(paginateListPublicKeys({ client }, {}), 'PublicKeyList'),
  },
  // The others are not paginated by the SDK, but a page has up to 100.
  {
    about: 'key groups',
    type: 'AWS::CloudFront::KeyGroup',
    quota: 10,
    count: async (client) =>
      countOf((await client.send(new ListKeyGroupsCommand({}))).KeyGroupList),
  },
  {
    about: 'cache policies',
    type: 'AWS::CloudFront::CachePolicy',
    quota: 20,
    count: async (client) =>
      countOf(
        (await client.send(new ListCachePoliciesCommand({ Type: 'custom' }))).CachePolicyList,
      ),
  },
  {
    about: 'headers policies',
    type: 'AWS::CloudFront::ResponseHeadersPolicy',
    quota: 20,
    count: async (client) =>
      countOf(
        (await client.send(new ListResponseHeadersPoliciesCommand({ Type: 'custom' })))
          .ResponseHeadersPolicyList,
      ),
  },
];

type Quantity = { readonly Quantity: number | undefined } | undefined;

async function total<Name extends string>(
  pages: AsyncIterable<{ readonly [list in Name]?: Quantity }>,
  list: Name,
): Promise<number> {
  let sum = 0;
  for await (const page of pages) sum += countOf(page[list]);
  return sum;
}

function countOf(list: Quantity): number {
  return list?.Quantity ?? 0;
}
