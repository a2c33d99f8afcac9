import { Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { LIMITS } from '../../lambdas/domain/limits.ts';

export interface FirewallProps {
  readonly apis: readonly RestApi[];
}

/**
 * Rules of AWSManagedRulesCommonRuleSet that count the requests they match instead of blocking them. Most of them
 * inspect bodies. A batch may be larger than they allow, and contain numbers and URLs that look like attacks; the
 * functions parse every body themselves. A total may exclude more jobs than fit into 2,048 bytes of query string, and
 * client libraries without a User-Agent are allowed.
 * https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
 */
const COUNTED_ONLY = [
  'SizeRestrictions_BODY',
  'SizeRestrictions_QUERYSTRING',
  'CrossSiteScripting_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'EC2MetaDataSSRF_BODY',
  'NoUserAgent_HEADER',
];

/**
 * The number of requests that one IP address may send in a minute, AWS WAF's shortest window. Five tenants behind one
 * NAT may use their whole default request rate. An address without a key can use at most this much of the stage's
 * throttling limit, which all tenants share.
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based-high-level-settings.html
 */
const ADDRESS = { requests: 5 * LIMITS.requestsPerMinute, evaluationWindowSec: 60 };

/** AWS WAF sends this response instead of the gateway's. By the time in Retry-After, the window has passed. */
const FLOODED: CfnWebACL.CustomResponseProperty = {
  responseCode: 429,
  responseHeaders: [{ name: 'Retry-After', value: String(ADDRESS.evaluationWindowSec) }],
};

/**
 * A web ACL for the APIs. All callers share the gateway's throttling, which comes before keys are checked, so without a
 * limit per address a single address could use all of it.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { apis }: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      // The deployment policy allows only a web ACL with this name.
      name: `${Stack.of(this).stackName}-Apis`,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: withMetric('all'),
      rules: [
        defineManagedRule(0, 'AWSManagedRulesAmazonIpReputationList'),
        defineManagedRule(1, 'AWSManagedRulesKnownBadInputsRuleSet'),
        defineManagedRule(2, 'AWSManagedRulesCommonRuleSet', COUNTED_ONLY),
        {
          name: 'flood',
          priority: 3,
          action: { block: { customResponse: FLOODED } },
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              limit: ADDRESS.requests,
              evaluationWindowSec: ADDRESS.evaluationWindowSec,
            },
          },
          visibilityConfig: withMetric('flood'),
        },
      ],
    });
    for (const api of apis) {
      new CfnWebACLAssociation(this, `For${api.node.id}`, {
        webAclArn: acl.attrArn,
        resourceArn: api.deploymentStage.stageArn,
      });
    }
  }
}

function defineManagedRule(
  priority: number,
  name: string,
  counted: readonly string[] = [],
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    visibilityConfig: withMetric(name),
  };
}

function withMetric(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

export function allowOnlyFrom(networks: readonly string[]): PolicyDocument {
  const calls = {
    principals: [new AnyPrincipal()],
    actions: ['execute-api:Invoke'],
    // In a resource policy, this path stands for the API itself.
    resources: ['execute-api:/*'],
  };
  return new PolicyDocument({
    statements: [
      new PolicyStatement({ ...calls, effect: Effect.ALLOW }),
      new PolicyStatement({
        ...calls,
        effect: Effect.DENY,
        conditions: { NotIpAddress: { 'aws:SourceIp': [...networks] } },
      }),
    ],
  });
}
