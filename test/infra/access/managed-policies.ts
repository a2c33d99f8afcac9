import type { Json } from '../../../local/json.ts';

/**
 * AWS managed policies of the service's roles, at their default version.
 * https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html
 */
export const MANAGED_POLICIES: Readonly<Record<string, Json>> = {
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': makeAllowPolicy([
    {
      Action: [
        'logs:CreateLogGroup',
        'logs:CreateLogStream',
        'logs:DescribeLogGroups',
        'logs:DescribeLogStreams',
        'logs:PutLogEvents',
        'logs:GetLogEvents',
        'logs:FilterLogEvents',
      ],
      Resource: '*',
    },
  ]),
};

function makeAllowPolicy(statements: readonly object[]): Json {
  return {
    Version: '2012-10-17',
    Statement: statements.map((statement) => ({ Effect: 'Allow', ...statement })),
  };
}
