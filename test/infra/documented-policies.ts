import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Json } from '../../local/json.ts';

/** Policies in `docs/<name>-policy.json` that an operator grants by hand. */
export const DOCUMENTED = ['deployer', 'operator', 'execution', 'foundation'] as const;

const list = z.union([z.string(), z.array(z.string())]).transform((one) => [one].flat());
const policy = z.object({
  Statement: z.array(
    z.object({ Sid: z.string(), Effect: z.literal('Allow'), Action: list, Resource: list }),
  ),
});

export interface DocumentedPolicy {
  readonly text: string;
  readonly document: Json;
  readonly statements: z.infer<typeof policy>['Statement'];
}

export function readDocumentedPolicy(name: (typeof DOCUMENTED)[number]): DocumentedPolicy {
  const text = readFileSync(`docs/${name}-policy.json`, 'utf8');
  const document: Json = JSON.parse(text);
  return { text, document, statements: policy.parse(document).Statement };
}
