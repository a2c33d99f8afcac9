import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnFunction,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { buildTemplates } from '../lambdas/api/specification/build-templates.ts';
import type { Access } from './access.ts';
import type { FilesByName } from './build/build-cache.ts';
import { buildConsole } from './build/console-build.ts';
import { readFunctionCode } from './build/function-code.ts';
import { copyPacks, type PackContents } from './build/model-packs.ts';
import { copyOnnxRuntime } from './build/onnx-runtime.ts';
import type { StageConfig } from './config/stage-config.ts';

const LAMBDAS = fileURLToPath(new URL('../lambdas/', import.meta.url));

export interface ServiceFunctionProps {
  readonly config: StageConfig;
  /** The handler's file under `lambdas/` without its extension. The file exports `handler`. */
  readonly handler: string;
  /** The purpose of the function, which the Lambda console shows. */
  readonly description: string;
  /** All permissions of the function's role besides its own logs and traces. */
  readonly access: readonly Access[];
  /** @default 512 MB, because a handler that mostly waits for other services gains little from more */
  readonly memoryMb?: number;
  /** @default 29 s, API Gateway's limit */
  readonly timeout?: Duration;
  /** @default ARM64, which costs 20 % less for the same work */
  readonly architecture?: Architecture;
  /**
   * Lambda concurrency that is reserved for this function and also limits it. @default the concurrency that the
   * account's other functions leave
   */
  readonly reservedConcurrency?: number;
  /** What the function's asset contains of the configured model packs. @default no files */
  readonly packs?: PackContents;
  /**
   * Whether the asset contains ONNX Runtime, which the code imports if a model needs it. @default undefined: the code
   * never imports it
   */
  readonly onnxRuntime?: boolean;
  /** Whether the asset contains the built console and the documents of the API. @default undefined: it does not */
  readonly pages?: boolean;
}

/** A function with this service's defaults and a separate role and log group. */
export class ServiceFunction extends LambdaFunction {
  readonly handlerFile: string;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { config, handler, access, memoryMb = 512, reservedConcurrency: reserved } = props;
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The CDK's default role is not used, because its managed policy may write to every log group of the account. The
    // policy is inline, so that the function never runs with its role but without its policy.
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        access: new PolicyDocument({
          statements: [
            allowWritingLogs(logGroup),
            allowWritingTraces(),
            ...access.flatMap(({ statements }) => statements),
          ],
        }),
      },
    });
    const architecture = props.architecture ?? Architecture.ARM_64;

    super(scope, id, {
      code: bundleCode(props, architecture),
      handler: 'index.handler',
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture,
      memorySize: memoryMb,
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
      timeout: props.timeout ?? Duration.seconds(29),
      loggingFormat: LoggingFormat.JSON,
      logGroup,
      role,
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        // The metric dimension that separates the stages of an account.
        POWERTOOLS_SERVICE_NAME: nameMetricsService(config),
        ...Object.assign({}, ...access.map(({ environment }) => environment)),
      },
      // Running batches invoke the versions that they started with.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    this.handlerFile = handler;
    // The construct's property `tracing` would make the CDK create a policy resource.
    const { defaultChild } = this.node;
    if (defaultChild instanceof CfnFunction) defaultChild.tracingConfig = { mode: Tracing.ACTIVE };
  }
}

export function allowWritingLogs(logGroup: LogGroup): PolicyStatement {
  return new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
}

/** X-Ray has no resource-level permissions. */
function allowWritingTraces(): PolicyStatement {
  return new PolicyStatement({
    actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
    resources: ['*'],
  });
}

export function nameMetricsService({ stage }: Pick<StageConfig, 'stage'>): string {
  return `soil-batch-${stage}`;
}

/** Bundles the function's asset. The CDK skips bundling for stacks that a command does not need. */
function bundleCode(props: ServiceFunctionProps, architecture: Architecture): Code {
  const { config, handler, packs, onnxRuntime } = props;
  return Code.fromAsset(dirname(join(LAMBDAS, handler)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // The image is never used, because the local bundling always succeeds or throws.
      image: DockerImage.fromRegistry('scratch'),
      // The command never runs; it makes the options differ between functions, because the CDK bundles assets with
      // equal options only once.
      command: [handler, packs ?? '', onnxRuntime ? architecture.name : ''],
      local: {
        tryBundle(output) {
          copyInto(output, readFunctionCode(handler));
          if (packs) copyPacks(output, config, packs);
          if (props.pages) {
            copyInto(join(output, 'console'), buildConsole().output);
            copyInto(join(output, 'templates'), buildTemplates());
          }
          if (onnxRuntime) copyOnnxRuntime(output, architecture);
          return true;
        },
      },
    },
  });
}

function copyInto(folder: string, files: FilesByName): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
