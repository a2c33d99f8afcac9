import { describe, expect, it } from 'vitest';
import { toList, valueAtPath } from '../../local/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';

describe.each(['local', 'dev', 'prod'] as const)('webhook deliveries in %s', (stage) => {
  const { ofType, text } = synthesise(stage);
  const [source] = ofType('AWS::Lambda::EventSourceMapping');
  const fn = ofType('AWS::Lambda::Function').find(
    ({ id }) => text(source?.properties['FunctionName']) === `<${id}>`,
  );
  const queue = ofType('AWS::SQS::Queue').find(
    ({ id }) => text(source?.properties['EventSourceArn']) === `<${id}.Arn>`,
  );

  it('are passed to a function one at a time, so that a slow receiver does not delay deliveries to others', () => {
    expect(source?.properties['BatchSize']).toBe(1);
    expect(fn?.id).toContain('DeliverWebhook');
  });

  it('wait in a standard queue, because a FIFO queue would block a message group during a retry', () => {
    expect(queue?.properties['FifoQueue']).toBeUndefined();
  });

  it('run concurrently, up to a limit', () => {
    expect(valueAtPath(source?.properties, 'ScalingConfig', 'MaximumConcurrency')).toBeGreaterThan(
      1,
    );
  });

  it('stay invisible for at least six times the timeout of the function, as AWS recommends', () => {
    const visibility = Number(queue?.properties['VisibilityTimeout']);
    expect(visibility).toBeGreaterThanOrEqual(6 * Number(fn?.properties['Timeout']));
  });

  it('have more time than a receiver has to respond', () => {
    expect(fn?.properties['Timeout']).toBeGreaterThan(10);
  });

  it('raise an alarm as soon as one reaches the dead-letter queue', () => {
    const deadLetters = text(
      valueAtPath(queue?.properties, 'RedrivePolicy', 'deadLetterTargetArn'),
    );
    const watching = ofType('AWS::CloudWatch::Alarm').filter(({ properties }) =>
      toList(properties['Dimensions']).some(
        (value) =>
          text(valueAtPath(value, 'Value')) === deadLetters.replace('.Arn>', '.QueueName>'),
      ),
    );
    expect(watching.map(({ properties }) => properties)).toMatchObject([{ Threshold: 1 }]);
  });

  it('are retained in the queue beyond the longest delay of the schedule', () => {
    const fourDays = 4 * 24 * 3_600;
    expect(queue?.properties['MessageRetentionPeriod'] ?? fourDays).toBeGreaterThan(900);
  });
});
