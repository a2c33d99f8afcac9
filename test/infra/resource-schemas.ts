import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import * as z from 'zod';

const resourceType = z.object({
  typeName: z.string(),
  handlers: z.record(z.string(), z.object({ permissions: z.array(z.string()) })).default({}),
});
export type ResourceSchema = z.infer<typeof resourceType>;

function findDataFolder(kind: 'resources' | 'providers'): string {
  const [folder] = readdirSync('.local/venv/lib').map((python) =>
    join('.local/venv/lib', python, 'site-packages/cfnlint/data/schemas', kind),
  );
  if (folder === undefined || !existsSync(folder)) throw new Error('run `npm run setup:tests`');
  return folder;
}

/** Returns AWS's own schemas, which list CloudFormation's calls for each resource type. */
export function readResourceSchemas(): ReadonlyMap<string, ResourceSchema> {
  const folder = findDataFolder('resources');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    files.flatMap((file) => {
      const known = resourceType.safeParse(
        JSON.parse(readFileSync(join(folder, file), 'utf8')),
      ).data;
      return known === undefined ? [] : [[known.typeName, known] as const];
    }),
  );
}

export function readRegionalTypes(): ReadonlyMap<string, ReadonlySet<string>> {
  const folder = findDataFolder('providers');
  const regions = readdirSync(folder).flatMap((file) => /^(.*-\d)\.json$/.exec(file)?.[1] ?? []);
  return new Map(
    regions
      .filter((region) => RegionInfo.get(region).partition === 'aws')
      .map((region) => {
        const types = JSON.parse(readFileSync(join(folder, `${region}.json`), 'utf8'));
        return [region, new Set(Object.keys(types))] as const;
      }),
  );
}
