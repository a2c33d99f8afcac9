import { AwsIntegration } from 'aws-cdk-lib/aws-apigateway';
import {
  type IRole,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { ServiceFunction } from '../service-function.ts';

export interface ApiIntegrationsProps {
  /** The only functions that API Gateway may invoke. */
  readonly functions: readonly ServiceFunction[];
}

/**
 * The Lambda integrations of both APIs, and the role with which API Gateway invokes all their functions. One
 * policy replaces a permission resource for each function and API, each of which would count against the
 * 500 resources of a stack.
 * https://docs.aws.amazon.com/apigateway/latest/api/API_Integration.html
 */
export class ApiIntegrations extends Construct {
  /** The role with which API Gateway invokes the functions. */
  readonly role: IRole;

  constructor(scope: Construct, id: string, { functions }: ApiIntegrationsProps) {
    super(scope, id);
    const invoke = new PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources: functions.map(({ functionArn }) => functionArn),
    });
    this.role = new Role(this, 'Role', {
      // Without a source condition: API Gateway sends no source for it, and would fail every request.
      // https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/pull/479
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { call: new PolicyDocument({ statements: [invoke] }) },
      // The CDK would repeat the permission for the authorizer of each API.
    }).withoutPolicyUpdates();
  }

  integrationOf({ functionArn }: ServiceFunction): AwsIntegration {
    return new AwsIntegration({
      service: 'lambda',
      proxy: true,
      path: `2015-03-31/functions/${functionArn}/invocations`,
      options: { credentialsRole: this.role },
    });
  }
}
