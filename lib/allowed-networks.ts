import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** An API's resource policy: requests need a key and must come from these networks. */
export function reachableFrom(networks: readonly string[]): PolicyDocument {
  const calls = {
    principals: [new AnyPrincipal()],
    actions: ['execute-api:Invoke'],
    // In a resource policy this is the API itself.
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
