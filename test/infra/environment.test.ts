import { describe, expect, it } from 'vitest';
import { synthesise } from '../support/infra/synthesised.ts';
import { VARIABLES_READ } from '../support/infra/variables-read.ts';

/** Variables that Lambda sets ("Defined runtime environment variables", Lambda Developer Guide). */
const SET_BY_LAMBDA: readonly string[] = ['AWS_REGION', 'LAMBDA_TASK_ROOT'];

const READ_BY_OTHERS = ['NODE_OPTIONS', 'POWERTOOLS_SERVICE_NAME'];

const { functions, ofType } = synthesise('prod');

describe('the environment of every function', () => {
  it.each(Object.entries(VARIABLES_READ))(
    '%s has exactly the variables that it reads',
    (file, reads) => {
      const [fn] = functions.filter(({ handlerFile }) => handlerFile === file);
      const [resource] = ofType('AWS::Lambda::Function').filter(
        ({ id }) => id === fn?.stack.getLogicalId(fn.node.defaultChild as never),
      );
      const environment = resource?.properties['Environment'] as { Variables: object };
      const given = Object.keys(environment.Variables).filter(
        (name) => !READ_BY_OTHERS.includes(name),
      );
      expect(given.sort()).toEqual(reads.filter((name) => !SET_BY_LAMBDA.includes(name)).sort());
    },
  );
});
