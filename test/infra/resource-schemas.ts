import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const resourceType = z.object({
  typeName: z.string(),
  handlers: z.record(z.string(), z.object({ permissions: z.array(z.string()) })).default({}),
});
export type ResourceSchema = z.infer<typeof resourceType>;

/** What CloudFormation does with each type of resource: AWS's own schemas, as cfn-lint carries them. */
export function resourceSchemas(): ReadonlyMap<string, ResourceSchema> {
  const [venv] = readdirSync('.local/venv/lib').map((python) =>
    join('.local/venv/lib', python, 'site-packages/cfnlint/data/schemas/resources'),
  );
  if (venv === undefined || !existsSync(venv)) throw new Error('run `npm run setup:tests`');
  const files = readdirSync(venv).filter((name) => name.endsWith('.json'));
  return new Map(
    files.flatMap((file) => {
      const known = resourceType.safeParse(JSON.parse(readFileSync(join(venv, file), 'utf8'))).data;
      return known === undefined ? [] : [[known.typeName, known] as const];
    }),
  );
}
