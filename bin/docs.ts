import { writeFileSync } from 'node:fs';
import { batchFinishedSchemaText } from '../lambdas/domain/delivery/batch-finished.ts';
import project from '../package.json' with { type: 'json' };
import { buildApiReference } from './generated/api-reference.ts';

writeFileSync(
  new URL('../docs/api-reference.md', import.meta.url),
  buildApiReference(project.version),
);
writeFileSync(
  new URL('../docs/batch-finished.schema.json', import.meta.url),
  batchFinishedSchemaText(),
);
