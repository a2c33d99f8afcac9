import { at, type Json, listOf } from '../../support/infra/json.ts';
import type { Resource, Synthesised } from '../../support/infra/synthesised.ts';
import { functionOf, statesWithin } from '../states.ts';
import { ACCOUNT, type Deployed, REGION } from './deployed.ts';
import type { Call, Context } from './may.ts';

// The calls that AWS services make for the resources of the templates.

/** The calls of every service, by the resources on whose behalf it calls. */
export function serviceCalls(synthesised: Synthesised, on: Deployed): readonly Call[] {
  return synthesised.resources.flatMap(
    (resource) => CALLS[resource.type]?.(resource, on, synthesised) ?? [],
  );
}

type CallsOf = (resource: Resource, on: Deployed, synthesised: Synthesised) => readonly Call[];

const CALLS: Readonly<Record<string, CallsOf>> = {
  'AWS::Lambda::Function': ({ properties }, on) => {
    const role = on.text(properties['Role']);
    const logs = on.text(at(properties, 'LoggingConfig', 'LogGroup'));
    return [
      { by: 'lambda.amazonaws.com', action: 'sts:AssumeRole', on: role },
      ...writing(role, logs),
      ...(at(properties, 'TracingConfig', 'Mode') === 'Active' ? tracing(role) : []),
    ];
  },

  // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
  'AWS::Lambda::EventSourceMapping': ({ properties }, on, { ofType }) => {
    const name = on.text(properties['FunctionName']);
    const consumers = ofType('AWS::Lambda::Function').filter(({ id }) => id === name);
    return consumers.flatMap((fn) =>
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'].map((action) => ({
        by: on.text(fn.properties['Role']),
        action,
        on: on.text(properties['EventSourceArn']),
      })),
    );
  },

  'AWS::Events::Rule': ({ id, properties }, on) =>
    listOf(properties['Targets']).map((target) => ({
      by: 'events.amazonaws.com',
      action: 'lambda:InvokeFunction',
      on: on.text(at(target, 'Arn')),
      context: from(on.arn(id)),
    })),

  'AWS::SecretsManager::RotationSchedule': ({ properties }, on) => [
    {
      by: 'secretsmanager.amazonaws.com',
      action: 'lambda:InvokeFunction',
      on: on.text(properties['RotationLambdaARN']),
      context: from(on.text(properties['SecretId'])),
    },
  ],

  'AWS::ApiGateway::Method': ({ properties }, on) => {
    const role = on.text(at(properties, 'Integration', 'Credentials'));
    // A method without a function, e.g. a preflight that the gateway responds to.
    if (role === '') return [];
    return invokingWith(role, on.text(at(properties, 'Integration', 'Uri')));
  },

  'AWS::ApiGateway::Authorizer': ({ properties }, on) =>
    invokingWith(
      on.text(properties['AuthorizerCredentials']),
      on.text(properties['AuthorizerUri']),
    ),

  // Access logs are written with the role of the account.
  'AWS::ApiGateway::Stage': ({ properties }, on, { ofType }) =>
    ofType('AWS::ApiGateway::Account').flatMap((account) => {
      const role = on.text(account.properties['CloudWatchRoleArn']);
      const logs = on.text(at(properties, 'AccessLogSetting', 'DestinationArn'));
      return [
        { by: 'apigateway.amazonaws.com', action: 'sts:AssumeRole', on: role },
        ...writing(role, logs.replace(/^.*:log-group:/, '')),
      ];
    }),

  'AWS::StepFunctions::StateMachine': ({ id, properties }, on) => {
    const role = on.text(properties['RoleArn']);
    const machine = on.arn(id);
    const definition: Json = JSON.parse(on.text(properties['DefinitionString']));
    const functions = statesWithin(definition)
      .filter(([, state]) => state['Type'] === 'Task')
      .map(([, state]) => functionOf(state));
    return [
      {
        by: 'states.amazonaws.com',
        action: 'sts:AssumeRole',
        on: role,
        context: from(machine),
      },
      ...functions.flatMap((fn) => [
        { by: role, action: 'lambda:InvokeFunction', on: fn },
        // An execution that an earlier deployment started.
        { by: role, action: 'lambda:InvokeFunction', on: fn.replace(/:\w+$/, ':6') },
      ]),
      // The children of a distributed map are executions of the same machine.
      // https://docs.aws.amazon.com/step-functions/latest/dg/iam-policies-eg-dist-map.html
      { by: role, action: 'states:StartExecution', on: machine },
      ...['states:DescribeExecution', 'states:StopExecution'].map((action) => ({
        by: role,
        action,
        on: `${machine.replace(':stateMachine:', ':execution:')}:7`,
      })),
      ...tracing(role),
      ...LOG_DELIVERY.map((action) => ({ by: role, action, on: '*' })),
    ];
  },

  'AWS::CloudWatch::Alarm': notifying,
};

/** https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html */
const LOG_DELIVERY = [
  'logs:CreateLogDelivery',
  'logs:GetLogDelivery',
  'logs:UpdateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:DescribeResourcePolicies',
  'logs:DescribeLogGroups',
];

/**
 * An alarm publishes to its topics, and uses their keys.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
 */
function notifying({ id, properties }: Resource, on: Deployed, { ofType }: Synthesised): Call[] {
  const actions = ['AlarmActions', 'OKActions', 'InsufficientDataActions'];
  const topics = actions.flatMap((name) => listOf(properties[name])).map(on.text);
  const call = { by: 'cloudwatch.amazonaws.com', context: from(on.arn(id)) };
  return topics.flatMap((topic) => [
    { ...call, action: 'sns:Publish', on: topic },
    ...ofType('AWS::SNS::Topic')
      .filter((known) => on.arn(known.id) === topic)
      .flatMap((known) => {
        const key = on.text(known.properties['KmsMasterKeyId']);
        return ['kms:Decrypt', 'kms:GenerateDataKey'].map((action) => ({
          ...call,
          action,
          on: key,
        }));
      }),
  ]);
}

/** What a service says on whose behalf it calls. */
function from(arn: string): Context {
  return { 'aws:SourceArn': arn, 'aws:SourceAccount': ACCOUNT };
}

function writing(by: string, logGroup: string): readonly Call[] {
  const on = `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${logGroup}:log-stream:2026`;
  return ['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) => ({ by, action, on }));
}

function tracing(by: string): readonly Call[] {
  return ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'].map((action) => ({
    by,
    action,
    on: '*',
  }));
}

/** API Gateway invokes `…/functions/<ARN>/invocations` with a role. */
function invokingWith(role: string, uri: string): readonly Call[] {
  return [
    { by: 'apigateway.amazonaws.com', action: 'sts:AssumeRole', on: role },
    {
      by: role,
      action: 'lambda:InvokeFunction',
      on: uri.replace(/^.*\/functions\/(.*)\/invocations$/, '$1'),
    },
  ];
}
