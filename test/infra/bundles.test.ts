import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { readFunctionCode } from '../../lib/build/function-code.ts';
import type { ServiceFunction } from '../../lib/service-function.ts';
import { isObject, valueAtPath } from '../../local/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const folder = mkdtempSync(join(tmpdir(), 'soil-batch-bundles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { functions, ofType, text } = synthesise('prod');

/** Loads a bundle as Lambda does, in the Node version that runs the tests; the suite `node24` uses Lambda's. */
function loadBundle(bundle: string, environment: Readonly<Record<string, string>>): string {
  const url = JSON.stringify(pathToFileURL(bundle).href);
  const script = `console.log(typeof (await import(${url})).handler)`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    {
      encoding: 'utf8',
      env: { ...environment, AWS_REGION: 'eu-central-1', LAMBDA_TASK_ROOT: process.cwd() },
    },
  );
  // An uncaught error begins with its line of code, which is very long in a bundle.
  return stdout.trim() || stderr.slice(-1_000);
}

function environmentOf(fn: ServiceFunction): Readonly<Record<string, string>> {
  const id = fn.stack.getLogicalId(fn.node.defaultChild as never);
  const resource = ofType('AWS::Lambda::Function').find((one) => one.id === id);
  const variables = valueAtPath(resource?.properties, 'Environment', 'Variables');
  if (!isObject(variables)) throw new Error(`${id} has no environment`);
  return Object.fromEntries(
    Object.entries(variables).map(
      ([name, value]) => [name, resolveValue(name, text(value))] as const,
    ),
  );
}

/** Resolves a value that is known only after deployment, in the format that functions expect. */
function resolveValue(name: string, value: string): string {
  if (!value.includes('<')) return value;
  if (name.endsWith('_ARN')) return 'arn:aws:states:eu-central-1:111122223333:stateMachine:batches';
  if (name.endsWith('_URL')) return 'https://sqs.eu-central-1.amazonaws.com/111122223333/queue';
  return value.replace(/[<>]/g, '');
}

it.each(functions.map((fn) => [fn.handlerFile, fn] as const))(
  'the bundle of %s loads in its environment and exports a handler',
  (handler, fn) => {
    const place = join(folder, handler);
    mkdirSync(place, { recursive: true });
    for (const [name, contents] of Object.entries(readFunctionCode(handler))) {
      writeFileSync(join(place, name), contents);
    }
    const { NODE_OPTIONS: _, ...environment } = environmentOf(fn);
    expect(loadBundle(join(place, 'index.mjs'), environment)).toBe('function');
  },
);
