import { writeFileSync } from 'node:fs';
import { batchFinishedText } from '../lambdas/api/specification/batch-finished-schema.ts';
import project from '../package.json' with { type: 'json' };
import { apiReference } from './generated/api-reference.ts';

writeFileSync(new URL('../docs/api.md', import.meta.url), apiReference(project.version));
writeFileSync(new URL('../docs/batch-finished.schema.json', import.meta.url), batchFinishedText());
