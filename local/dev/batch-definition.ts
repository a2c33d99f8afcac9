import { Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { StateGraph } from 'aws-cdk-lib/aws-stepfunctions';
import { type BatchSteps, defineBatch, type StepFunction } from '../../lib/batch-definition.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Json } from '../json.ts';

/** Refers to the functions by ARNs with the names of the steps, so that none is bundled. */
export function batchDefinitionOf(
  steps: readonly string[],
  concurrency: StageConfig['concurrency'],
): Json {
  const stack = new Stack();
  const versionOf = (step: string): StepFunction => ({
    currentVersion: LambdaFunction.fromFunctionArn(
      stack,
      `${step}Function`,
      `arn:aws:lambda:eu-west-1:000000000000:function:${step}`,
    ),
  });
  const functions = Object.fromEntries(steps.map((step) => [step, versionOf(step)]));
  const start = defineBatch(stack, {
    functions: functions as unknown as BatchSteps<StepFunction>,
    concurrency,
  });
  return stack.resolve(new StateGraph(start, 'a batch').toGraphJson());
}
